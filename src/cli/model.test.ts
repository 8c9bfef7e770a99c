import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { readSafetensors } from '../store/index.ts'
import { modelCommand } from './model.ts'

let folder = ''
let printed: string[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rwml-model-'))
  printed = []
  vi.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(line))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true, force: true })
})

const offline = async () => {
  throw new Error('nobody asks the hub here')
}
const run = (...words: string[]) => modelCommand(offline).exitOverride().parseAsync(words, { from: 'user' })

describe('rwml model', () => {
  it('inspects a model: a table, two turns, and everything for programs', async () => {
    await run('inspect', 'models/mini', '--json')
    const shown = printed.join('\n')
    expect(shown).toMatch(/parameters +986,624/)
    expect(shown).toMatch(/stored as +BF16: 38 tensors, 1\.9 MiB/)
    expect(shown).toContain('<|user|>Where is the mug?<|assistant|>On the desk.<|end|>')
    expect(JSON.parse(printed.at(-1)!)).toMatchObject({ architecture: 'llama', contextLength: 1024, warnings: [] })
  })

  it('exports in the type asked for, and imports that again', async () => {
    const half = join(folder, 'half')
    await run('export', 'models/mini', '--out', half, '--dtype', 'f16', '--json')
    expect(JSON.parse(printed.at(-1)!)).toMatchObject({ out: half, dtype: 'F16', parameters: 986624 })
    const again = join(folder, 'again')
    await run('import', half, '--out', again)
    expect(printed.join('\n')).toContain(`settings: { model: { path: ${JSON.stringify(again)} } }`)
    for (const name of readdirSync(half)) {
      expect(readFileSync(join(again, name)).equals(readFileSync(join(half, name)))).toBe(true)
    }
    const same = join(folder, 'same')
    await run('export', 'models/mini', '--out', same)
    const weights = (path: string) => readSafetensors(join(path, 'model.safetensors')).tensors
    expect(weights(same)).toEqual(weights('models/mini'))
  })

  it('compares two models: shares by layer and module, thresholds, a drawing, everything for programs', async () => {
    const [half, svg] = [join(folder, 'half'), join(folder, 'moved.svg')]
    await run('export', 'models/mini', '--out', half, '--dtype', 'f16')
    await run('compare', 'models/mini', half, '--svg', svg, '--json')
    const shown = printed.join('\n')
    expect(shown).toMatch(/moved, layer +embedding +q +k +v +o +gate +up +down +norms +all/)
    expect(shown).toMatch(/norms +0\.0% .* 1,152$/m)
    expect(readFileSync(svg, 'utf8')).toMatch(/^<svg xmlns=.*<\/svg>\n$/s)
    const change = JSON.parse(printed.at(-1)!)
    expect(change).toMatchObject({ thresholds: [1e-5, 1e-4, 1e-3, 1e-2, 1e-1], all: { weights: 986624 } })
    // A float16 holds every bfloat16 of usual size.
    expect(change.all.relativeNorm).toBeLessThan(1e-6)
    expect(change.cells).toHaveLength(4 * 8)
    await expect(run('compare', 'models/mini', join(folder, 'none'))).rejects.toThrow('no model at')
    for (const path of [half, svg]) rmSync(path, { recursive: true })
  })

  it('refuses what is not there, what is there already, and damage, and leaves nothing behind', async () => {
    const out = join(folder, 'out')
    await expect(run('import', join(folder, 'none.gguf'), '--out', out)).rejects.toThrow('none.gguf is missing')
    await expect(run('import', 'models/none', '--out', out)).rejects.toThrow('nobody asks the hub here')
    await expect(run('inspect', join(folder, 'none'))).rejects.toThrow('no model at')
    await expect(run('export', 'models/mini', '--out', 'models')).rejects.toThrow('models is there already')
    await expect(run('export', 'models/mini', '--out', out, '--dtype', 'int8')).rejects.toThrow()
    writeFileSync(join(folder, 'cut.gguf'), 'GGUF\x03\0\0\0')
    await expect(run('import', join(folder, 'cut.gguf'), '--out', out)).rejects.toThrow(
      'is not a GGUF file, or a damaged',
    )
    expect(existsSync(out)).toBe(false)
    expect(readdirSync(folder)).toEqual(['cut.gguf'])
  })
})
