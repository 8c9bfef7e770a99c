import type { Environment } from './environment.ts'

/** An environment with some members replaced. A proxy, because it may be an instance of a class with private fields. */
export function overlaid(environment: Environment, instead: Partial<Environment>): Environment {
  return new Proxy(environment, {
    get(target, key) {
      if (Object.hasOwn(instead, key)) return instead[key as keyof Environment]
      const value: unknown = Reflect.get(target, key)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
