import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { describe, expect, it } from 'vitest'

/** Rooms from the ground up: each may import from those before it, and from no other. */
const ROOMS = [
  'core',
  'store',
  'services',
  'tokens',
  'environments',
  'embedders',
  'rewards',
  'engines',
  'models',
  'agents',
  'serving',
  'rollouts',
  'learning',
  'evaluation',
  'benchmarks',
  'stages',
  'methods',
  'reports',
  'studies',
  'dashboard',
  'cli',
]
const LONGEST_FILE = 350
const root = resolve(import.meta.dirname, '..', 'src')

interface SourceFile {
  path: string
  room: string
  text: string
  /** Tests, and what only tests use. */
  forTests: boolean
}

const files: SourceFile[] = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => {
    const parts = path.split(sep)
    const forTests = path.endsWith('.test.ts') || parts.includes('testing')
    return {
      path: parts.join('/'),
      room: parts.length > 1 ? parts[0] : '',
      text: readFileSync(join(root, path), 'utf8'),
      forTests,
    }
  })

/** Relative targets of a file's imports and re-exports, from the root of the sources. */
function importsOf(file: SourceFile): string[] {
  const specifiers = [...file.text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"](\.[^'"]+)['"]/g)].map((match) => match[1])
  return specifiers.map((specifier) =>
    relative(root, resolve(root, dirname(file.path), specifier))
      .split(sep)
      .join('/'),
  )
}

/** What each file does wrong, as lines of `file: what`. */
function faults(check: (file: SourceFile) => string[]): string[] {
  return files.flatMap((file) => check(file).map((fault) => `${file.path}: ${fault}`))
}

describe('the house', () => {
  it('has only the rooms of the plan', () => {
    const rooms = new Set(files.map((file) => file.room).filter(Boolean))
    expect([...rooms].filter((room) => !ROOMS.includes(room))).toEqual([])
  })

  it('lets a room import only from the rooms before it', () => {
    const wrong = faults((file) => {
      if (file.forTests || file.room === '') return []
      return importsOf(file).filter((target) => ROOMS.indexOf(target.split('/')[0]) > ROOMS.indexOf(file.room))
    })
    expect(wrong).toEqual([])
  })

  it('lets nobody into another room but through its index', () => {
    const wrong = faults((file) => {
      if (file.forTests) return []
      return importsOf(file).filter((target) => {
        const [room, ...rest] = target.split('/')
        return ROOMS.includes(room) && room !== file.room && rest.join('/') !== 'index.ts'
      })
    })
    expect(wrong).toEqual([])
  })

  it('keeps what is only for tests out of the product', () => {
    const wrong = faults((file) => {
      if (file.forTests) return []
      return importsOf(file).filter((target) => target.includes('/testing/') || target.endsWith('.test.ts'))
    })
    expect(wrong).toEqual([])
  })

  it('has no default exports', () => {
    expect(faults((file) => (/^export default\b|\bas default\b/m.test(file.text) ? ['a default export'] : []))).toEqual(
      [],
    )
  })

  it('has no long files', () => {
    const wrong = faults((file) => {
      const lines = file.text.trimEnd().split('\n').length
      return lines > LONGEST_FILE ? [`${lines} lines`] : []
    })
    expect(wrong).toEqual([])
  })
})
