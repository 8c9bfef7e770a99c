import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UserError } from './errors.ts'
import { keepSecret, withoutSecrets } from './secrets.ts'

const SECRET = 'sk-"pl\\anted/+%&<key>=4711'
keepSecret(SECRET)

const asJson = (text: string) => JSON.stringify(text).slice(1, -1)
const WRITERS: [string, (text: string) => string][] = [
  ['as it is', (text) => text],
  ['in JSON', asJson],
  ['in JSON inside of JSON', (text) => asJson(asJson(text))],
  ['in JSON with escaped slashes', (text) => asJson(text).replaceAll('/', '\\/')],
  ['percent-encoded', encodeURIComponent],
  ['percent-encoded in small letters', (text) => encodeURIComponent(text).toLowerCase()],
  [
    'in HTML',
    (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  ],
  ['in hexadecimal', (text) => Buffer.from(text).toString('hex')],
  ['in base64', (text) => Buffer.from(text).toString('base64')],
  ['in base64 for addresses', (text) => Buffer.from(text).toString('base64url')],
]

describe('a secret', () => {
  it.each(WRITERS)('is in no message: %s', (_, write) => {
    for (const before of ['', 'B', 'Be', 'Bearer ', 'me:']) {
      const written = write(before + SECRET)
      const { message, stack } = new UserError(`it says ${written}, twice: ${written}`)
      for (const text of [message, stack ?? '']) {
        expect(text).toContain('[key]')
        expect(text).not.toContain(write(SECRET).slice(0, -4))
      }
      expect(message).toMatch(/^it says .*, twice: /)
    }
  })

  it('is in no message whatever stands around it', () => {
    const around = fc.string({ unit: 'binary', maxLength: 30 })
    fc.assert(
      fc.property(around, around, fc.constantFrom(...WRITERS), (before, after, [, write]) => {
        const clear = withoutSecrets(write(before + SECRET + after))
        expect(clear).toContain('[key]')
        expect(clear).not.toContain(SECRET)
      }),
      { seed: 1 },
    )
  })

  it('that is a placeholder is a word like any other', () => {
    for (const word of ['none', 'EMPTY', '']) keepSecret(word)
    expect(withoutSecrets('none is EMPTY')).toBe('none is EMPTY')
  })
})
