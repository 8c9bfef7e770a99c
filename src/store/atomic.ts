import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder, syncFolder } from './folder.ts'
import { temporaryName } from './temporary.ts'
import { explained, writing } from './write-error.ts'

/**
 * Write a whole file so that a reader sees the old content or the new, never a part, and so that the new one outlasts a
 * power cut once this returns: temporary name, fsync, rename, fsync of the folder. @throws UserError if the system refuses.
 */
export function writeFileAtomic(path: string, content: string | Uint8Array): void {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  writePiecesAtomic(path, [bytes], bytes.length)
}

/** The same for what can be had again: a power cut may leave it empty or full of zeros, which its reader has to notice. */
export function writeCacheFile(path: string, content: Uint8Array): void {
  writePiecesAtomic(path, [content], content.length, false)
}

/**
 * The same for content that is made piece by piece and is never in memory whole; `size` is that of all pieces in bytes.
 * Lasting: it is on the disk when this returns.
 */
export function writePiecesAtomic(path: string, pieces: Iterable<Uint8Array>, size: number, lasting = true): void {
  makeFolder(dirname(path))
  const temporary = temporaryName(path)
  try {
    const file = openSync(temporary, 'w')
    try {
      for (const bytes of pieces) {
        for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
      }
      if (lasting) fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, path)
    if (lasting) syncFolder(dirname(path))
  } catch (error) {
    // Explained first: with the unfinished file gone, there would seem to be room.
    const reason = explained(error, `write ${path}`, { path, bytes: size })
    discard(temporary)
    throw reason
  }
}

/**
 * Fill a folder under a temporary name, then rename it into place; an existing folder of that name is replaced. What is
 * filled in has to be on the disk already (`writeFileAtomic` sees to that).
 */
export async function writeFolderAtomic(path: string, fill: (folder: string) => Promise<void> | void): Promise<void> {
  const temporary = temporaryName(path)
  makeFolder(temporary)
  try {
    await fill(temporary)
    const replaced = existsSync(path) ? temporaryName(path) : null
    writing(path, () => {
      if (replaced) renameSync(path, replaced)
      try {
        renameSync(temporary, path)
      } catch (error) {
        if (replaced) renameSync(replaced, path)
        throw error
      }
      syncFolder(dirname(path))
    })
    if (replaced) discard(replaced)
  } catch (error) {
    discard(temporary)
    throw error
  }
}

/** Remove a folder so that nobody ever sees a part of it: it loses its name first. */
export function removeFolderAtomic(path: string): void {
  if (!existsSync(path)) return
  const aside = temporaryName(path)
  try {
    renameSync(path, aside)
    syncFolder(dirname(path))
    rmSync(aside, { recursive: true, force: true })
  } catch (error) {
    throw explained(error, `remove ${path}`)
  }
}

/** Where even this fails, the next run clears it away, and the first error is the one to tell. */
function discard(temporary: string): void {
  try {
    rmSync(temporary, { recursive: true, force: true })
  } catch {}
}
