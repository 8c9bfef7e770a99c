import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import wabt from 'wabt'

/** Folder of the kernel's text and of what is made from it. */
export const KERNEL = join(import.meta.dirname, '..', 'kernel')

/** The kernel's text as WebAssembly, in base 64. */
export async function assembled(): Promise<string> {
  const { parseWat } = await wabt()
  const path = join(KERNEL, 'kernel.wat')
  const module = parseWat(path, readFileSync(path, 'utf8'), { simd: true })
  try {
    return Buffer.from(module.toBinary({}).buffer).toString('base64')
  } finally {
    module.destroy()
  }
}

/** The source file that holds it. */
export function kernelFile(base64: string): string {
  const lines = (base64.match(/.{1,110}/g) ?? []).map((line) => `  '${line}',`).join('\n')
  return `/** \`kernel.wat\` as WebAssembly, in base 64: made by \`npm run kernel\`. */\nexport const KERNEL_WASM = [\n${lines}\n].join('')\n`
}
