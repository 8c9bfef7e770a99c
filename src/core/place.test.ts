import { expect, it } from 'vitest'
import { placeOf } from './place.ts'

const failure = (...frames: string[]) => Object.assign(new Error('x'), { stack: ['Error: x', ...frames].join('\n') })

it('is the first frame in somebody’s own code', () => {
  const here = process.cwd()
  const error = failure(
    '    at Object.readFileSync (node:fs:440:20)',
    `    at get (${here}/node_modules/got/index.js:3:1)`,
    '    at guarded (/opt/rwml/dist/environments/guarded.js:20:7)',
    `    at Room.step (file://${here}/games/my%20room.ts:12:9)`,
    `    at ${here}/games/other.ts:1:1`,
  )
  expect(placeOf(error, '/opt/rwml/dist/')).toBe('games/my room.ts, line 12')
  expect(placeOf(failure(`    at async ${here}/a.ts:7:1`), '/opt/')).toBe('a.ts, line 7')
})

it('is nowhere where no frame is', () => {
  expect(placeOf(failure('    at process.x (node:internal/process:1:1)'))).toBeNull()
  expect(placeOf(failure('    at x (/opt/rwml/dist/a.js:1:1)'), '/opt/rwml/dist/')).toBeNull()
  expect([placeOf('text'), placeOf(undefined)]).toEqual([null, null])
})
