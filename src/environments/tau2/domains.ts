import { airline } from './airline/domain.ts'
import type { Domain } from './domain.ts'
import { mock } from './mock/domain.ts'
import { retail } from './retail/domain.ts'
import { telecom } from './telecom/domain.ts'

/** Every domain by name. Each knows its own state, which nobody else looks into. */
export const DOMAINS: ReadonlyMap<string, Domain> = new Map<string, Domain>(
  [retail, airline, telecom, mock].map((domain) => [domain.name, domain]),
)
