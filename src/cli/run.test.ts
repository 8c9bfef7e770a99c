import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { UserError } from '../core/index.ts'
import { experimentName, loadExperiment } from './experiment-file.ts'
import { runCommandLine } from './program.ts'
import { parseSetting } from './settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'rwml-run-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

/** Two doors; `open door N` opens it, and nothing else is possible. Speaks the miniature's words. */
const DOORS = `
import { actionText, defineConfig, type Environment } from 'rwml'
export const doors = (reward: boolean): Environment => ({
  name: 'doors',
  splits: () => ['train', 'unseen'],
  tasks: (split) => ['mug', 'cup', 'plate', 'bowl'].flatMap((thing) => [1, 2].map((place) => ({
    id: split + thing + place, split, kind: 'door', instruction: 'put a ' + thing + ' on desk',
  }))),
  open: (task) => ({
    initial: { from: 'environment', text: 'You are in the middle of a room. Looking quickly around you, you see a desk 1.' },
    step(action) {
      const valid = actionText(action).startsWith('go to desk')
      const text = valid ? 'You arrive at desk 1. On the desk 1, you see nothing.' : 'Nothing happens.'
      return { observation: { from: 'environment', text }, valid, done: false, truncated: false, ...(reward && { reward: valid ? 1 : 0 }) }
    },
  }),
})
`
const SMALL = `{ collect: { tasks: 8, rollouts: 2, maxSteps: 3, filterShare: 0.25 }, reward: { embedder: 'lexical' },
  filter: { draws: 2 }, worldModel: { batch: 4, groupSize: 4, maxSteps: 2 }, policy: { tasks: 2, groupSize: 2, steps: 1, maxSteps: 3 },
  evaluate: { runs: 1, maxSteps: 3, transitions: 12 } }`

describe('an experiment file', () => {
  it('is TypeScript in any folder, and has the very package that runs it', async () => {
    write('helper.ts', "import { UserError } from 'rwml'\nexport const kind: unknown = UserError")
    const path = write(
      'mine.ts',
      "import { defineConfig } from 'rwml'\nimport { kind } from './helper.ts'\nenum Seed { One = 1 }\nawait Promise.resolve()\nexport default { ...defineConfig({ settings: { seed: Seed.One } }), kind }",
    )
    await expect(loadExperiment(path)).rejects.toThrow(/no field "kind"/)
    const good = write(
      'good.ts',
      readFileSync(path, 'utf8').replace(', kind }', ', out: kind === undefined ? "" : "o" }'),
    )
    expect(await loadExperiment(good)).toEqual({ settings: { seed: 1 }, out: 'o' })
    const same = write('same.mjs', "import { UserError } from 'rwml'\nthrow new UserError('mine', 2)")
    await expect(loadExperiment(same)).rejects.toBeInstanceOf(UserError)
  })

  it('may be JavaScript, and may name its experiment', async () => {
    for (const name of ['a.js', 'a.mjs', 'a.ts']) {
      const path = write(
        name,
        "import { defineConfig } from 'rwml'\nexport const experiment = defineConfig({ method: 'rwml' })",
      )
      expect(await loadExperiment(path)).toEqual({ method: 'rwml' })
      expect(experimentName(path)).toBe('a')
    }
  })

  it('that cannot be loaded is one clear line', async () => {
    mkdirSync(join(folder, 'folder.ts'), { recursive: true })
    for (const [path, message] of [
      [join(folder, 'none.ts'), /none\.ts is no file/],
      [join(folder, 'folder.ts'), /folder\.ts is no file/],
      [write('data.json', '{}'), /must end in \.ts/],
      [write('empty.ts', 'export const config = {}'), /exports no experiment, but config: write "export default/],
      [write('broken.ts', 'export default {\n  a: ,\n}'), /broken\.ts could not be loaded: .*line 2/],
      [
        write('throws.ts', 'const a = 1\nthrow new Error("no " + a)'),
        /could not be loaded: no 1 \(.*throws\.ts, line 2\)/,
      ],
      [write('imports.ts', "import 'not-there'"), /Cannot find module 'not-there'.*install it/],
    ] as const) {
      await expect(loadExperiment(path)).rejects.toThrow(message)
      await expect(loadExperiment(path)).rejects.toBeInstanceOf(UserError)
    }
  })
})

describe('--set', () => {
  it('reads numbers, booleans and text', () => {
    expect(['seed=1', 'a.b=-1e-4', 'x=true', 'y=band', 'z="12"', 'e=a=b', 'n='].map(parseSetting)).toEqual([
      ['seed', 1],
      ['a.b', -1e-4],
      ['x', true],
      ['y', 'band'],
      ['z', '12'],
      ['e', 'a=b'],
      ['n', ''],
    ])
    expect(() => parseSetting('seed')).toThrow(/--set takes name=value/)
  })
})

describe('rwml run', () => {
  let printed: string[] = []
  beforeEach(() => {
    printed = []
    vi.spyOn(console, 'log').mockImplementation((text) => void printed.push(String(text)))
    vi.spyOn(console, 'error').mockImplementation((text) => void printed.push(String(text)))
    vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  })
  afterEach(() => {
    vi.restoreAllMocks()
    process.exitCode = undefined
  })

  it('an environment without reward, from play to a report that is silent about success; and goes on', async () => {
    const path = write(
      'plain.ts',
      `${DOORS}export default defineConfig({ environment: doors(false), settings: ${SMALL} })`,
    )
    const out = join(folder, 'plain')
    await runCommandLine(['run', path, '--out', out, '--json', '--set', 'seed=3'])
    expect(process.exitCode, printed.join('\n')).toBeUndefined()
    const result = JSON.parse(printed.at(-1)!)
    expect(result).toMatchObject({ out, seed: 3, arms: ['base', 'after world-model RL'] })
    expect(Object.keys(result.measures)).toEqual(['exact', 'rewarded'])
    const summary = printed.find((text) => text.includes('held-out tasks'))
    expect(summary).not.toMatch(/Success|Invalid|not measured/)
    const report = readFileSync(join(out, 'report.md'), 'utf8')
    expect(report).toContain('There is no task reward')
    expect(report).toContain('left out: there is no task reward to play for')
    expect(report).not.toContain('--resume')
    expect(report).toContain(`npx rwml run ${path} --set seed=3 --set seed=4 --out`)
    expect(report).not.toContain('Success, ')

    await runCommandLine(['run', path, '--out', out, '--set', 'seed=3'])
    expect(printed.at(-1)).toMatch(/already holds a run: go on with .* --resume/)
    process.exitCode = undefined
    await runCommandLine(['run', path, '--out', out, '--set', 'seed=3', '--resume'])
    expect(process.exitCode).toBeUndefined()
    for (const [i, [from, to, complaint]] of [
      ["'bowl'", "'vase'", 'was begun with another set of tasks in "train"'],
      ["'put a '", "(split === 'unseen' ? 'place a ' : 'put a ')", 'was begun with another set of tasks in "unseen"'],
      ["name: 'doors'", "name: 'gates'", 'was begun with environment.name = doors, not gates'],
      ['defineConfig({', "defineConfig({ method: 'world-model-sft',", 'was begun with another method'],
      ['draws: 2', 'draws: 3', 'was begun with filter.draws = 2, not 3'],
      ['Nothing happens', 'Nothing happened', 'the environment doors changed since this run was begun: task '],
      ['doors(false)', 'doors(true)', 'was {"done":false} and is now {"done":false,"reward":'],
    ].entries()) {
      const other = write(`other-${i}.ts`, readFileSync(path, 'utf8').replace(from, to))
      await runCommandLine(['run', other, '--out', out, '--set', 'seed=3', '--resume'])
      expect(printed.at(-1)).toContain(complaint)
    }
  })

  it('trains an adapter where it is asked to: checkpoints hold it alone, and are given out as whole models', async () => {
    const path = write(
      'adapter.ts',
      `${DOORS}export default defineConfig({ environment: doors(false), settings: ${SMALL} })`,
    )
    const out = join(folder, 'adapter')
    const settings = ['--set', 'model.lora.rank=2', '--set', 'model.lora.targets=query-value']
    await runCommandLine(['run', path, '--out', out, '--json', ...settings])
    expect(process.exitCode, printed.join('\n')).toBeUndefined()
    expect(JSON.parse(printed.at(-1)!).arms).toEqual(['base', 'after world-model RL'])
    const checkpoint = join(out, 'checkpoints', 'world-model-rl-2')
    const files = readdirSync(checkpoint)
    expect(files).toContain('adapter_model.safetensors')
    expect(files).not.toContain('model.safetensors')
    await runCommandLine(['model', 'export', out, '--out', join(folder, 'whole')])
    expect(process.exitCode, printed.join('\n')).toBeUndefined()
    expect(readdirSync(join(folder, 'whole'))).toContain('model.safetensors')
    await runCommandLine(['run', path, '--out', out, '--json', '--resume', ...settings])
    expect(process.exitCode, printed.join('\n')).toBeUndefined()
    const { measures } = JSON.parse(printed.at(-1)!)

    // What others make of the checkpoint is what the run made of it.
    const again = ['evaluate', 'models/mini', out, '--experiment', path, '--json', '--set', 'collect.rollouts=2']
    await runCommandLine([...again, '--out', join(folder, 'evaluated')])
    expect(process.exitCode, printed.join('\n')).toBeUndefined()
    expect(JSON.parse(printed.at(-1)!)).toMatchObject({ arms: ['base', 'adapter'], measures })
    await runCommandLine([...again, out, '--out', join(folder, 'twice')])
    expect(printed.at(-1)).toContain('a model is named twice')

    await runCommandLine(['run', path, '--out', out, '--resume'])
    expect(printed.at(-1)).toContain('was begun with model.lora.rank = 2, not 0')
  })

  it('--dry shows the plan and the masks, and writes nothing', async () => {
    const path = write(
      'dry.ts',
      `${DOORS}export default defineConfig({ environment: doors(true), settings: ${SMALL} })`,
    )
    const out = join(folder, 'dry')
    await runCommandLine(['run', path, '--out', out, '--dry', '--json'])
    expect(process.exitCode, printed.join('\n')).toBeUndefined()
    const plan = JSON.parse(printed.at(-1)!)
    expect(plan.measuredOn).toMatchObject({ episodes: 8, rewarded: true, turns: 3 })
    const byName = Object.fromEntries(plan.stages.map((stage: { name: string }) => [stage.name, stage]))
    expect(byName.collect.episodes).toBe(16)
    expect(byName['world-model-rl'].steps).toBe(2)
    expect(byName['policy-rl']).toMatchObject({ steps: 1, episodes: 4 })
    // 8 held-out tasks, for three models and once for the transitions.
    expect(byName.evaluate.episodes).toBe(8 * 3 + 8)
    const text = printed.at(-2)!
    expect(text).toMatch(/<\|assistant\|>⟦<thinking>[^⟧]*⟧/)
    expect(text).toMatch(/⟦<thinking><\/thinking><next_state>.*<\/next_state><\|end\|>⟧/)
    expect(text).not.toContain('\u001b')
    expect(() => readFileSync(join(out, 'run.json'))).toThrow()
  })

  it('that an environment stops names the place, and says how to go on', async () => {
    const text = DOORS.replace(
      'step(action) {',
      "step(action) {\n      if (actionText(action) !== '') throw new Error('lost')",
    )
    const path = write(
      'lost.ts',
      `${text}export default defineConfig({ environment: doors(true), settings: ${SMALL} })`,
    )
    const out = join(folder, 'lost')
    await runCommandLine(['run', path, '--out', out])
    const line = text.split('\n').findIndex((one) => one.includes('lost')) + 1
    expect(process.exitCode).toBe(1)
    expect(printed.at(-2)).toContain(
      `What was done is saved; once it is mended, go on with: npx rwml run ${path} --out ${out} --resume`,
    )
    expect(printed.at(-1)).toMatch(
      new RegExp(
        `^rwml: task .*, step 1 \\(".+"\\): the environment failed: lost \\(.*lost\\.ts, line ${line}; --debug shows the rest\\); mend the environment$`,
      ),
    )
    process.exitCode = undefined
    await runCommandLine(['run', path, '--out', join(folder, 'none'), '--dry'])
    expect(printed.join('\n').split('--resume')).toHaveLength(2)
  })

  it('--dry shows only what can be trained on, or says that nothing can, and refuses what a run does', async () => {
    // The first step of an episode is valid and no other; or none is.
    const mixed = (valid: string) =>
      DOORS.replace('step(action) {', 'step(action) {\n      const first = !this.past; this.past = true').replace(
        /const valid = .*/,
        `const valid = ${valid}`,
      )
    const small = SMALL.replace('filterShare: 0.25', 'filterShare: 0.25, invalidShare: 0')
    const dry = async (name: string, text: string) => {
      const path = write(name, `${text}export default defineConfig({ environment: doors(true), settings: ${small} })`)
      await runCommandLine(['run', path, '--out', join(folder, 'dry'), '--dry'])
      return printed.at(-1)!
    }
    const shown = await dry('first.ts', mixed('first'))
    expect(shown).not.toContain('No step of these episodes')
    expect(shown.match(/there followed “([^”]*)”/)?.[1]).toBe('You arrive at desk 1. On the desk 1, you see nothing.')
    const none = await dry('none.ts', mixed('false'))
    expect(none).toContain('No step of these episodes can train the world model')
    expect(none).not.toMatch(/there followed|as a label/)
    expect(
      await dry(
        'no-unseen.ts',
        DOORS.replace("['mug',", "(split === 'unseen' ? [] : ['mug',").replace("'bowl']", "'bowl'])"),
      ),
    ).toMatch(/has no task in its split "unseen"/)
  })

  it('names a setting that is not there, and a file that is no experiment, as bad usage', async () => {
    const path = write('bad.ts', 'export default { preset: "mini" }')
    await runCommandLine(['run', path, '--set', 'worldModel.bach=3'])
    expect([process.exitCode, printed.at(-1)]).toEqual([2, expect.stringContaining('"worldModel.batch"')])
    await runCommandLine(['run', join(folder, 'nothing.ts')])
    expect(process.exitCode).toBe(2)
  })
})
