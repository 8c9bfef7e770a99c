import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { InvalidArgumentError } from 'commander'
import { UserError } from '../core/index.ts'
import { weightFiles } from '../engines/index.ts'
import { modelFolder } from '../methods/index.ts'
import { RunFolder } from '../store/index.ts'

/** Parser of a command-line option that names a file or folder: an empty name is a mistake (an unset variable), no default. */
export function pathName(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It names no file or folder.')
  if (text.includes('\0')) throw new InvalidArgumentError('No file name can hold a null character.')
  return text
}

/** The same for an option or argument that takes several. */
export function pathNames(text: string, before: string[] | undefined): string[] {
  return [...(before ?? []), pathName(text)]
}

/** @throws UserError where a folder to be made is there already, and is not empty. */
export function refuseExisting(out: string): void {
  if (!existsSync(out)) return
  if (statSync(out).isDirectory() && readdirSync(out).length === 0) return
  throw new UserError(`${out} is there already: name another folder, or delete it to make it again`)
}

/** What `trainedFolder` takes, for a command's help. */
export const TRAINED_FOLDER = 'a model folder, a checkpoint, or a run folder (then its newest checkpoint)'

/** A model's own folder, or the checkpoint of a run that was written last. @throws UserError where there is none. */
export function trainedFolder(path: string): string {
  if (!existsSync(join(path, 'run.json'))) return modelFolder(path)
  const written = (checkpoint: { path: string }) => statSync(weightFiles(checkpoint.path)[0]).mtimeMs
  const newest = RunFolder.open(path)
    .checkpoints()
    .toSorted((a, b) => written(a) - written(b))
    .at(-1)
  if (!newest) throw new UserError(`${path} has no checkpoint yet: wait for one, or take the model it starts from`)
  return newest.path
}
