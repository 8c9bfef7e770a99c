import { Command } from 'commander'
import { UserError } from '../core/index.ts'
import {
  alfworldEnvironment,
  type Environment,
  findDataFolder,
  findTau2Folder,
  tau2Environment,
} from '../environments/index.ts'
import { pathName } from './paths.ts'

/** What `rwml env list` shows of an environment: where its data is and how many tasks each split has. */
interface Summary {
  name: string
  data: string | null
  splits: Record<string, number>
  note: string
}

function splitsOf(environment: Environment): Record<string, number> {
  return Object.fromEntries(environment.splits().map((split) => [split, environment.tasks(split).length]))
}

/** @throws UserError when `data` is named and holds no games: only what was looked for unasked may be missing. */
function alfworldSummary(data?: string): Summary {
  try {
    const folder = findDataFolder(data)
    const notes: string[] = []
    const environment = alfworldEnvironment({ data: folder, warn: (message) => notes.push(message) })
    return { name: 'alfworld', data: folder, splits: splitsOf(environment), note: notes.join('; ') }
  } catch (error) {
    if (data !== undefined || !(error instanceof UserError)) throw error
    return { name: 'alfworld', data: null, splits: {}, note: `generated households only; ${error.message}` }
  }
}

function tau2Summary(): Summary {
  try {
    const data = findTau2Folder()
    return { name: 'tau2', data, splits: splitsOf(tau2Environment({ data })), note: '' }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { name: 'tau2', data: null, splits: {}, note: error.message }
  }
}

export function listCommand(): Command {
  return new Command('list')
    .description('environments, and the data found for them')
    .option('--data <dir>', 'folder of ALFWorld data', pathName)
    .option('--json', 'one JSON object as the last line')
    .addHelpText('after', '\nExamples:\n  rwml env list\n  rwml env list --data games --json')
    .action(({ data, json }: { data?: string; json?: boolean }) => {
      const environments = [alfworldSummary(data), tau2Summary()]
      if (json) {
        console.log(JSON.stringify({ environments }))
        return
      }
      for (const { name, data, splits, note } of environments) {
        const counts = Object.entries(splits).map(([split, count]) => `${split} ${count}`)
        console.log(`${name}  ${data ?? 'no data'}${counts.length > 0 ? `  (${counts.join(', ')})` : ''}`)
        if (note) console.log(`  ${note}`)
      }
    })
}
