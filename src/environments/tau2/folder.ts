import { existsSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { UserError } from '../../core/index.ts'

/** Where the folder may be below the one that is named: upstream keeps it in `data/tau2` of a clone. */
const BELOW = ['.', 'tau2', join('tau2', 'tau2'), join('data', 'tau2'), join('data', 'tau2', 'tau2')]

/**
 * Upstream's data folder: the one that holds `domains`.
 * @param data it, one of its parents, or `domains` itself; left out, `$TAU2_DATA_DIR`
 * @throws UserError when there is none
 */
export function findTau2Folder(data: string | undefined = process.env.TAU2_DATA_DIR): string {
  if (data === undefined || data === '') {
    throw new UserError(
      "no τ²-bench data: name upstream's data folder in TAU2_DATA_DIR, or with --data where a command has it",
    )
  }
  for (const below of BELOW) {
    const folder = join(data, below)
    if (existsSync(join(folder, 'domains'))) return folder
  }
  if (basename(resolve(data)) === 'domains' && existsSync(data)) return dirname(resolve(data))
  throw new UserError(`there is no folder 'domains' in ${data}, nor in tau2 or data/tau2 below it`)
}
