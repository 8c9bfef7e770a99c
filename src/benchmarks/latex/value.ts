/**
 * Formulas by their values: two are the same where they agree wherever they are computed. Variables take the values of a
 * point; whatever is not understood has no value.
 */
export class Formula {
  private readonly tokens: string[]
  private readonly variable: (name: string) => number
  private at = 0

  private constructor(tokens: string[], variable: (name: string) => number) {
    this.tokens = tokens
    this.variable = variable
  }

  /** The value of normalised LaTeX; null where it is no formula, NaN where it has no real value there. */
  static value(latex: string, variable: (name: string) => number): number | null {
    const tokens = latex.match(/\d+\.?\d*|\\[a-zA-Z]+|\\.|[^\s]/g) ?? []
    const formula = new Formula(tokens, variable)
    try {
      const value = formula.sum()
      return formula.at === tokens.length ? value : null
    } catch (error) {
      if (error instanceof NoFormula) return null
      throw error
    }
  }

  private sum(): number {
    let value = this.product()
    while (this.peek === '+' || this.peek === '-') {
      const minus = this.next() === '-'
      const term = this.product()
      value = minus ? value - term : value + term
    }
    return value
  }

  private product(): number {
    let value = this.signed()
    while (true) {
      if (this.peek === '*') {
        this.next()
        value *= this.signed()
      } else if (this.peek === '/') {
        this.next()
        value /= this.signed()
      } else if (this.startsFactor()) value *= this.power()
      else return value
    }
  }

  private signed(): number {
    if (this.peek !== '-' && this.peek !== '+') return this.power()
    return this.next() === '-' ? -this.signed() : this.signed()
  }

  private power(): number {
    const base = this.atom()
    if (this.peek === '!') {
      this.next()
      return factorial(base)
    }
    if (this.peek !== '^') return base
    this.next()
    return base ** this.atom()
  }

  private startsFactor(): boolean {
    const token = this.peek
    return token !== undefined && (/^[\da-zA-Z({]/.test(token) || /^\\[a-zA-Z]/.test(token))
  }

  private atom(): number {
    const token = this.next()
    if (/^\d/.test(token)) return this.mixed(Number(token))
    if (token === '(' || token === '{' || token === '[') return this.until(CLOSE[token])
    if (token === '|') return Math.abs(this.until('|'))
    if (/^[a-zA-Z]$/.test(token)) return this.named(token)
    switch (token) {
      case '\\frac': {
        const top = this.group()
        return top / this.group()
      }
      case '\\sqrt': {
        let degree = 2
        if (this.peek === '[') {
          this.next()
          degree = this.until(']')
        }
        const under = this.group()
        return under < 0 && degree % 2 === 1 ? -((-under) ** (1 / degree)) : under ** (1 / degree)
      }
      case '\\pi':
        return Math.PI
      case '\\sin':
      case '\\cos':
      case '\\tan':
      case '\\ln':
      case '\\log':
        return this.applied(token.slice(1))
      default:
        if (GREEK.test(token)) return this.named(token)
        throw new NoFormula()
    }
  }

  /** `6\frac{2}{3}` is six and two thirds. */
  private mixed(whole: number): number {
    const [command, open, , close, second, , end] = this.tokens.slice(this.at, this.at + 7)
    const numbers = [2, 5].every((offset) => /^\d+$/.test(this.tokens[this.at + offset] ?? ''))
    const fraction = command === '\\frac' && open === '{' && close === '}' && second === '{' && end === '}'
    return fraction && numbers && Number.isInteger(whole) ? whole + this.atom() : whole
  }

  private applied(name: string): number {
    let exponent = 1
    if (this.peek === '^') {
      this.next()
      exponent = this.atom()
    }
    // What has a subscript is another function.
    if (this.peek === '_') throw new NoFormula()
    const value = this.power()
    const f = { sin: Math.sin, cos: Math.cos, tan: Math.tan, ln: Math.log, log: Math.log10 }[name] as (
      x: number,
    ) => number
    return f(value) ** exponent
  }

  /** A variable with its subscript. */
  private named(token: string): number {
    let name = token
    if (this.peek === '_') {
      this.next()
      name += `_${this.rawGroup()}`
    }
    return this.variable(name)
  }

  private group(): number {
    if (this.next() !== '{') throw new NoFormula()
    return this.until('}')
  }

  private rawGroup(): string {
    let inside = ''
    if (this.next() !== '{') throw new NoFormula()
    while (this.peek !== '}') inside += this.next()
    this.next()
    return inside
  }

  private until(close: string): number {
    const value = this.sum()
    if (this.next() !== close) throw new NoFormula()
    return value
  }

  private get peek(): string | undefined {
    return this.tokens[this.at]
  }

  private next(): string {
    const token = this.tokens[this.at++]
    if (token === undefined) throw new NoFormula()
    return token
  }
}

class NoFormula extends Error {}

const CLOSE = { '(': ')', '{': '}', '[': ']' } as const
const GREEK =
  /^\\(?:alpha|beta|gamma|delta|epsilon|varepsilon|zeta|eta|theta|lambda|mu|nu|rho|sigma|tau|phi|varphi|chi|psi|omega)$/

function factorial(n: number): number {
  if (!Number.isInteger(n) || n < 0 || n > 170) throw new NoFormula()
  return n < 2 ? 1 : n * factorial(n - 1)
}
