import type { Trainer } from '../../engine.ts'

/** The same trainer, never asked to clip gradients: for servers that cannot. */
export function unclipped(trainer: Trainer): Trainer {
  return new Proxy(trainer, {
    get(target, name) {
      if (name === 'optimStep') {
        return (adam: Parameters<Trainer['optimStep']>[0]) => target.optimStep({ ...adam, clipNorm: 0 })
      }
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
