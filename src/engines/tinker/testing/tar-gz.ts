import { gzipSync } from 'node:zlib'

export interface TarEntry {
  name: string
  content: Uint8Array
  /** `0` a file, `2` a symbolic link, `5` a folder. */
  type?: string
}

/** A tar archive as a server packs it. */
export function tar(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap(({ name, content, type = '0' }) => {
    const header = Buffer.alloc(512)
    header.write(name, 0)
    header.write('0000644\0', 100)
    header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124)
    header.write('        ', 148)
    header.write(type, 156)
    header.write('ustar\0', 257)
    const sum = header.reduce((a, b) => a + b, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]
  })
  return Buffer.concat([...blocks, Buffer.alloc(1024)])
}

export function tarGz(entries: readonly TarEntry[]): Buffer {
  return gzipSync(tar(entries))
}
