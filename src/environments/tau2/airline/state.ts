import type { TableDatabase } from '../database.ts'
import type { DomainState } from '../domain.ts'
import { valueAt } from '../python/access.ts'
import { valueError } from '../python/errors.ts'
import { str } from '../python/number.ts'
import type { PyValue } from '../python/value.ts'
import type { Flight, FlightDateStatus, FlightDB, Reservation, User } from './models.ts'

export interface AirlineState extends DomainState {
  db: TableDatabase<(typeof FlightDB)['fields']>
  /** Numbers of the shared base's flights by origin, in the order of the database. */
  departures: ReadonlyMap<string, readonly string[]>
}

/**
 * A reservation as its tools leave it: upstream assigns some arguments without reading them,
 * so that these fields may hold anything.
 */
export type Booked = Omit<Reservation, LooseField> & { [name in LooseField]: PyValue }
type LooseField = 'cabin' | 'passengers' | 'total_baggages' | 'nonfree_baggages'

/**
 * The user of an id, to read only.
 * @throws PyError ValueError "User x not found"
 */
export function userOf({ db }: AirlineState, id: PyValue): User {
  const user = db.tables.users.get(id)
  if (!user) throw valueError(`User ${str(id)} not found`)
  return user
}

/**
 * The reservation of an id, to read only.
 * @throws PyError ValueError "Reservation x not found"
 */
export function reservationOf({ db }: AirlineState, id: PyValue): Booked {
  const reservation = db.tables.reservations.get(id)
  if (!reservation) throw valueError(`Reservation ${str(id)} not found`)
  return reservation
}

/**
 * The flight of a number, to read only.
 * @throws PyError ValueError "Flight x not found"
 */
export function flightOf({ db }: AirlineState, number: PyValue): Flight {
  const flight = db.tables.flights.get(number)
  if (!flight) throw valueError(`Flight ${str(number)} not found`)
  return flight
}

/**
 * A flight on one day, to read only.
 * @throws PyError ValueError "Flight x not found on date y"
 */
export function flightOnDate(state: AirlineState, number: PyValue, date: PyValue): FlightDateStatus {
  const day = valueAt(flightOf(state, number).dates, date)
  if (!day) throw valueError(`Flight ${str(number)} not found on date ${str(date)}`)
  return day
}
