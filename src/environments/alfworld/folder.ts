import { existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { UserError } from '../../core/index.ts'

/** The folder in which upstream's downloads put the splits. It keeps this name in every release. */
export const DATA_FOLDER = 'json_2.1.1'
const SPLIT_FOLDERS = ['train', 'valid_train', 'valid_seen', 'valid_unseen']

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}

/**
 * The folder that holds the splits. Looked for in `given` alone when it is given, else in `$ALFWORLD_DATA`, then in
 * `~/.cache/alfworld`; each may be the `json_2.1.1` folder or its parent.
 * @throws UserError that lists where it looked.
 */
export function findDataFolder(given?: string): string {
  const usual = [process.env.ALFWORLD_DATA ?? '', join(homedir(), '.cache', 'alfworld')]
  const roots = given ? [given] : usual.filter((root) => root !== '')
  const looked = roots.flatMap((root) => [root, join(root, DATA_FOLDER)])
  for (const folder of looked) {
    if (SPLIT_FOLDERS.some((split) => isFolder(join(folder, split)))) return folder
  }
  throw new UserError(
    `no ALFWorld games found: none of ${looked.join(', ')} has a folder ${SPLIT_FOLDERS.join(', ')}; pass --data DIR, set ALFWORLD_DATA, or run alfworld-download`,
  )
}
