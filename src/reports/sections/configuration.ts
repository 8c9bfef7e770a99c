import type { Section, Setting } from '../document.ts'
import type { ReportInput } from '../input.ts'
import { plainValue } from './filter.ts'

/** Every resolved setting and who chose it. */
export function configurationSection(input: Pick<ReportInput, 'config'>): Section {
  const title = 'Configuration'
  if (input.config.length === 0) {
    return { id: 'configuration', title, blocks: [{ block: 'paragraph', content: ['No configuration is stored.'] }] }
  }
  const groups = new Map<string, Setting[]>()
  for (const { path, value, source } of input.config) {
    const dot = path.indexOf('.')
    const group = dot < 0 ? 'general' : path.slice(0, dot)
    const setting = { name: dot < 0 ? path : path.slice(dot + 1), value: plainValue(value), source }
    groups.set(group, [...(groups.get(group) ?? []), setting])
  }
  const count = (source: string) => input.config.filter((field) => field.source === source).length
  return {
    id: 'configuration',
    title,
    blocks: [
      {
        block: 'paragraph',
        content: [
          `${count('paper')} settings as in the paper, ${count('ours')} chosen by this library, ${count('user')} set by the user.`,
        ],
      },
      {
        block: 'settings',
        groups: [...groups].map(([group, settings]) => ({ title: group, settings })),
      },
    ],
  }
}
