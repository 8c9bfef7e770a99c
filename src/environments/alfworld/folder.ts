import { existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { UserError } from '../../core/index.ts'

/** The folder in which upstream's downloads put the splits. It keeps this name in every release. */
export const DATA_FOLDER = 'json_2.1.1'
const SPLIT_FOLDERS = ['train', 'valid_train', 'valid_seen', 'valid_unseen']

/** Whether there is a folder at the path. */
export function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}

/**
 * The folder that holds the splits. Looked for in `given` alone when it is given, else in `$ALFWORLD_DATA`, then in
 * `~/.cache/alfworld`; each may be the `json_2.1.1` folder or its parent.
 * @throws UserError that lists where it looked; also for an empty name, which is a mistake and not the usual places.
 */
export function findDataFolder(given?: string): string {
  if (given?.trim() === '') throw new UserError('the name of the ALFWorld data folder is empty: pass --data DIR', 2)
  const usual = [process.env.ALFWORLD_DATA ?? '', join(homedir(), '.cache', 'alfworld')]
  const roots = given !== undefined ? [given] : usual.filter((root) => root !== '')
  const looked = roots.flatMap((root) => [root, join(root, DATA_FOLDER)])
  for (const folder of looked) {
    if (SPLIT_FOLDERS.some((split) => isFolder(join(folder, split)))) return folder
  }
  const remedy = 'pass --data DIR, set ALFWORLD_DATA, or run alfworld-download'
  if (given !== undefined && !isFolder(given)) {
    throw new UserError(`no ALFWorld games found: ${given} is no folder; ${remedy}`)
  }
  throw new UserError(
    `no ALFWorld games found: none of ${looked.join(', ')} has a folder ${SPLIT_FOLDERS.join(', ')}; ${remedy}`,
  )
}
