import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeMarkdown } from './markdown.ts'
import { element, escapeMarkup, join, raw } from './markup.ts'

test('text is escaped, markup is not escaped twice', () => {
  const inner = element('b', { title: 'a "b"' }, '<x>')
  expect(element('p', { hidden: undefined }, inner, '&').markup).toBe(
    '<p><b title="a &quot;b&quot;">&lt;x&gt;</b>&amp;</p>',
  )
  expect(join([raw('<i>'), '<i>'], ' ').markup).toBe('<i> &lt;i&gt;')
})

test('a number that is not finite is refused, others are short', () => {
  expect(() => element('circle', { r: Number.NaN })).toThrow('attribute r is NaN')
  expect(element('circle', { r: 1 / 3 }).markup).toBe('<circle r="0.33"></circle>')
})

test('escaped text holds no character that HTML reads', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !/[<>"']/.test(escapeMarkup(text))))
})

test('escaped Markdown is one line without live marks', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const escaped = escapeMarkdown(text)
      return !/[\n<]/.test(escaped) && !/(?<!\\)[`*_[\]|]/.test(escaped.replace(/\\\\/g, ''))
    }),
  )
  expect(escapeMarkdown('1. a\n- b')).toBe('1\\. a - b')
})
