import { describe, expect, it } from 'vitest'
import { ChatTemplate } from './template.ts'
import { timed } from './timed.ts'

describe('timed', () => {
  it('gives what the work gives, and what it throws', () => {
    expect(timed(() => [1, 2], 60, 'late')).toEqual([1, 2])
    expect(timed(() => timed(() => 'inner', 60, 'late') + timed(() => '!', 60, 'late'), 60, 'late')).toBe('inner!')
    const failing = () => {
      throw new RangeError('mine')
    }
    expect(() => timed(failing, 60, 'late')).toThrow(RangeError)
  })

  it('ends a template that does not end', () => {
    const loops = '{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}{% endfor %}'
    const endless = new ChatTemplate(`${loops}{% endfor %}{% endfor %}`)
    const render = () => endless.render([{ role: 'user', content: 'x' }], { addGenerationPrompt: true })
    expect(() => timed(render, 0.05, 'the template does not end')).toThrow('the template does not end')
  })
})

describe('a template', () => {
  const render = (source: string) =>
    new ChatTemplate(source).render([{ role: 'user', content: 'x' }], { addGenerationPrompt: true })

  it.each([
    "{{ messages.constructor }}{{ messages[0]['__proto__'] }}{{ ''.constructor }}{{ range.constructor }}",
    "{{ fixed_date.constructor }}{{ fixed_date['prototype'] }}{{ namespace(__proto__=1).toString }}",
  ])('finds nothing of the language below: %s', (source) => {
    expect(render(source)).toBe('')
  })

  it.each(["{{ fixed_date.constructor('return process')() }}", "{{ ''.constructor.constructor('return 1')() }}"])(
    'calls nothing of it: %s',
    (source) => {
      expect(() => render(source)).toThrow(/^chat template refused user: /)
    },
  )
})
