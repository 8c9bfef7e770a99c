// Preloaded, it sets the clock at random, days forwards and backwards, each time somebody looks. Nothing may hang on it.
const now = Date.now.bind(Date)
const jump = () => now() + Math.round((Math.random() - 0.5) * 2 * 7 * 86_400_000)
const RealDate = Date
globalThis.Date = class extends RealDate {
  constructor(...parameters) {
    super(...(parameters.length === 0 ? [jump()] : parameters))
  }
  static now() {
    return jump()
  }
}
