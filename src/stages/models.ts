import { resolve } from 'node:path'
import type { Stage } from './stage.ts'

/** Models that others trained, as rows of the evaluation: name and folder, an adapter's or a whole model's. */
export function modelsStage(models: Readonly<Record<string, string>>): Stage {
  const folders = Object.fromEntries(Object.entries(models).map(([arm, path]) => [arm, resolve(path)]))
  return {
    name: 'models',
    title: 'Models from elsewhere',
    options: { models: folders },
    async run(_context, artifacts) {
      for (const [arm, path] of Object.entries(folders)) artifacts.arms.push({ arm, path })
      return { notes: Object.entries(folders).map(([arm, path]) => `${arm}: ${path}`) }
    },
  }
}
