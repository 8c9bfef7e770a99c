import { isAbsolute, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The package's own code, as it runs: `src/` or `dist/`. Examples beside it are somebody's. */
const OWN = fileURLToPath(new URL('..', import.meta.url))

/**
 * Where in somebody's own code an error arose, `env.ts, line 12`: the first frame of its stack that is neither Node's nor this
 * package's nor a dependency's. Null where there is none. `own` is another folder in tests.
 */
export function placeOf(error: unknown, own = OWN): string | null {
  const { stack = '' } = error instanceof Error ? error : {}
  for (const [, location, line] of stack.matchAll(/^\s+at (?:async )?(?:.*? \()?(.+?):(\d+):\d+\)?$/gm)) {
    const path = location.startsWith('file:') ? fileURLToPath(location) : location
    if (!isAbsolute(path) || path.startsWith(own) || /[\\/]node_modules[\\/]/.test(path)) continue
    return `${relative('.', path)}, line ${line}`
  }
  return null
}

/** What an error says, and where in somebody's own code it arose. */
export function locatedMessage(error: unknown): string {
  const place = placeOf(error)
  const message = error instanceof Error ? error.message : String(error)
  return place === null ? message : `${message} (${place}; --debug shows the rest)`
}
