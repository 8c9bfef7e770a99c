import { PyError } from '../python/errors.ts'
import { asFloat, type BinaryOperator, binary, called, type Operand, unary } from './operand.ts'
import { syntaxError, type Token, tokenize } from './tokens.ts'

/** A parsed expression, to be evaluated once all of it is known to be well formed. */
type Expression = () => Operand

/** The grammar does not fit here; what to tell of it is found out in a second pass. */
class Mismatch extends Error {}

/** Operations one within the other, as in a long sum, that Python still compiles; some fewer when its caller is deep itself. */
const LONGEST = 2990

/** Signs and powers one within the other: fewer than Python takes, for ours are calls within calls. */
const DEEPEST = 1000

const tooDeep = () => new PyError('RecursionError', 'maximum recursion depth exceeded during compilation')

/**
 * Python's grammar as far as these tokens go. As Python does, a text that does not fit is parsed a second time
 * with rules that look for what its author may have meant (`explain`), and these decide the message.
 */
class Parser {
  #at = 0
  #depth = 0
  #longest = 0

  constructor(
    readonly tokens: readonly Token[],
    readonly explain: boolean,
  ) {}

  document(): Expression {
    const expression = this.#expression(this.explain)
    if (this.#peek().kind !== 'end') throw new Mismatch()
    if (this.#longest > LONGEST) throw tooDeep()
    return expression
  }

  /** @throws PyError where the text ends within parentheses */
  #peek(): Token {
    const token = this.tokens[this.#at]
    if (token.kind === 'end' && token.level > 0) throw syntaxError("'(' was never closed")
    return token
  }

  #take(text: string): boolean {
    if (this.#peek().text !== text || this.#peek().kind !== 'operator') return false
    this.#at++
    return true
  }

  /** What `parse` gives, or undefined and back to where it began when the grammar does not fit. */
  #attempt<T>(parse: () => T): T | undefined {
    const start = this.#at
    try {
      return parse()
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error
      this.#at = start
      return undefined
    }
  }

  #expect(text: string): void {
    if (!this.#take(text)) throw new Mismatch()
  }

  /** @param explain whether to see if a second expression follows, with no comma between */
  #expression(explain: boolean): Expression {
    const expression = this.#sum(explain)
    if (!explain) return expression
    const end = this.#at
    const { kind } = this.#peek()
    if (kind !== 'number' && kind !== 'ellipsis') return expression
    const second = this.#attempt(() => this.#sum(false))
    if (second && this.tokens[this.#at - 1].level > 0) {
      throw syntaxError('invalid syntax. Perhaps you forgot a comma?')
    }
    this.#at = end
    return expression
  }

  #sum(explain: boolean): Expression {
    return this.#chain(['+', '-'], () => this.#chain(['*', '//', '/'], () => this.#factor(explain)))
  }

  #chain(operators: readonly BinaryOperator[], operand: () => Expression): Expression {
    let left = operand()
    for (let length = 1; ; length++) {
      this.#longest = Math.max(this.#longest, length)
      const next = this.#attempt(() => {
        const operator = operators.find((one) => this.#take(one))
        return operator === undefined ? undefined : { operator, right: operand() }
      })
      if (!next) return left
      const first = left
      left = () => {
        const value = first()
        return binary(next.operator, value, next.right())
      }
    }
  }

  #factor(explain: boolean): Expression {
    if (++this.#depth > DEEPEST) throw tooDeep()
    try {
      for (const sign of ['+', '-'] as const) {
        if (!this.#take(sign)) continue
        const operand = this.#factor(explain)
        return () => unary(sign, operand())
      }
      const base = this.#primary(explain)
      const exponent = this.#attempt(() => (this.#take('**') ? this.#factor(explain) : undefined))
      if (!exponent) return base
      return () => {
        const value = base()
        return binary('**', value, exponent())
      }
    } finally {
      this.#depth--
    }
  }

  #primary(explain: boolean): Expression {
    let value = this.#atom(explain)
    for (let length = 1; ; length++) {
      this.#longest = Math.max(this.#longest, length)
      const callee = value
      const call = this.#attempt(() => (this.#take('(') ? this.#call(callee, explain) : undefined))
      if (!call) break
      value = call
    }
    // A dot would need a name after it: Python looks, and may find that the text ends there.
    this.#attempt(() => {
      if (this.#take('.') && this.#peek()) throw new Mismatch()
    })
    return value
  }

  #call(callee: Expression, explain: boolean): Expression {
    if (this.#take(')')) {
      return () => {
        throw called(callee(), '', undefined)
      }
    }
    const spread = this.#take('**') ? '**' : this.#take('*') ? '*' : ''
    const argument = this.#expression(explain)
    this.#expect(')')
    return () => {
      const value = callee()
      throw called(value, spread, argument())
    }
  }

  #atom(explain: boolean): Expression {
    const { kind, text } = this.#peek()
    if (kind === 'number') {
      this.#at++
      const value = text.includes('.') ? Number(text) : BigInt(text)
      return () => value
    }
    if (kind === 'ellipsis') {
      this.#at++
      return () => 'ellipsis'
    }
    this.#expect('(')
    if (this.#take(')')) return () => 'tuple'
    for (const star of ['*', '**']) if (this.#take(star)) this.#starred(star, explain)
    const inner = this.#expression(explain)
    this.#expect(')')
    return inner
  }

  /** A spread value in parentheses is an error; which one, depends on what follows. */
  #starred(star: string, explain: boolean): never {
    if (star === '**' && !explain) throw new Mismatch()
    this.#expression(explain)
    this.#expect(')')
    if (!explain) throw new Mismatch()
    throw syntaxError(`cannot use ${star === '*' ? 'starred' : 'double starred'} expression here`)
  }
}

/**
 * `float(eval(text))` for a text of digits, operators, parentheses, dots and spaces.
 * @throws PyError SyntaxError or what the evaluation raises, in Python's words
 */
export function evaluate(text: string): number {
  const trimmed = text.replace(/^ +/, '')
  if (trimmed === '') throw syntaxError('invalid syntax', 0)
  const tokens = tokenize(trimmed)
  let expression: Expression
  try {
    expression = new Parser(tokens, false).document()
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error
    throw explained(tokens)
  }
  return asFloat(expression())
}

function explained(tokens: readonly Token[]): Error {
  try {
    new Parser(tokens, true).document()
  } catch (error) {
    if (!(error instanceof Mismatch)) return error as Error
  }
  return syntaxError('invalid syntax')
}
