import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { refereeAnswer } from '../../../core/testing/python.ts'
import { packageFolder } from '../text/packages.ts'
import { INSTRUCTIONS } from './instructions.ts'

const digits = z.string().regex(/^[01]+$/)
/** A digit for every one of the instructions. */
const verdictsSchema = z.object({ strict: digits, loose: digits, language: z.string().nullable() })
const answersSchema = z.object({
  versions: z.record(z.string(), z.string()),
  answers: z.array(
    verdictsSchema.extend({
      sentences: z.number(),
      capitals: z.number(),
      /** Where the reference would say something else with the language profiles that we have. */
      shared: verdictsSchema.optional(),
    }),
  ),
})

export const referenceSchema = answersSchema.extend({
  command: z.string(),
  instructions: z.array(z.object({ id: z.string(), kwargs: z.record(z.string(), z.unknown()) })),
  responses: z.array(z.string()),
})
/** What the reference implementation says of every instruction on every response. */
export type Reference = z.infer<typeof referenceSchema>

/** Asks it: half a second a response. */
export async function ifevalReference(responses: readonly string[]): Promise<Reference> {
  const folder = mkdtempSync(join(tmpdir(), 'rwml-'))
  try {
    const cases = { instructions: INSTRUCTIONS, responses: [...responses] }
    const path = join(folder, 'cases.json')
    writeFileSync(path, JSON.stringify(cases))
    const profiles = join(packageFolder('langdetect', 'langdetect/package.json'), 'profiles')
    const answers = answersSchema.parse(await refereeAnswer('ifeval.py', path, profiles))
    return { command: 'npm run referees -- --light --write', ...cases, ...answers }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
