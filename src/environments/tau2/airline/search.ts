import { field, list, str } from '../model.ts'
import { valueAt } from '../python/access.ts'
import { compareText } from '../python/arithmetic.ts'
import { valueError } from '../python/errors.ts'
import { repr } from '../python/number.ts'
import type { PyValue } from '../python/value.ts'
import { type Tool, tool } from '../tool.ts'
import { pairOf } from './cabins.ts'
import { DirectFlight, type Flight, type FlightDateStatusAvailable } from './models.ts'
import { type AirlineState, flightOnDate } from './state.ts'

interface Search {
  date: PyValue
  /** Null for any. */
  origin: PyValue
  /** Null for any. */
  destination: PyValue
  /** The earliest departure, compared as text. */
  leaveAfter?: string
}

/** Numbers of flights by the airport they leave from, in the order of the database. */
export function departuresOf(flights: ReadonlyMap<string, Flight>): Map<string, string[]> {
  const departures = new Map<string, string[]>()
  for (const [number, { origin }] of flights) {
    const known = departures.get(origin)
    if (known) known.push(number)
    else departures.set(origin, [number])
  }
  return departures
}

/** Flights that leave from an airport, and perhaps others. */
function departing({ db, departures }: AirlineState, origin: PyValue): Iterable<Flight> {
  const { flights } = db.tables
  if (typeof origin !== 'string') return flights.values()
  for (const [, before, now] of flights.touched()) {
    // Initialization data may add or move flights, which the departures of the base do not know.
    if (before?.origin !== now.origin) return flights.values()
  }
  return (departures.get(origin) ?? []).map((number) => flights.get(number)!)
}

/**
 * Flights with seats on sale, in the order of the database.
 * @throws PyError TypeError for a date that cannot be looked up, once a flight of the route is met
 */
function findFlights(state: AirlineState, { date, origin, destination, leaveAfter }: Search): Flight[] {
  const found: Flight[] = []
  for (const flight of departing(state, origin)) {
    if (origin !== null && flight.origin !== origin) continue
    if (destination !== null && flight.destination !== destination) continue
    if (valueAt(flight.dates, date)?.status !== 'available') continue
    if (leaveAfter !== undefined && compareText(flight.scheduled_departure_time_est, leaveAfter) < 0) continue
    found.push(flight)
  }
  return found
}

/** What a search shows of a flight; one by itself leaves its date empty. */
function directFlight(flight: Flight, date: string, shownDate: string | null): DirectFlight {
  const day = flight.dates.get(date) as FlightDateStatusAvailable
  return DirectFlight.of({
    flight_number: flight.flight_number,
    origin: flight.origin,
    destination: flight.destination,
    status: 'available',
    scheduled_departure_time_est: flight.scheduled_departure_time_est,
    scheduled_arrival_time_est: flight.scheduled_arrival_time_est,
    date: shownDate,
    available_seats: day.available_seats,
    prices: day.prices,
  })
}

/**
 * The day a second leg leaves. Upstream's bugs: after the 8th comes "2024-05-9", after the 31st "2024-05-32",
 * neither of which any flight has; and the month is always May.
 */
function dayOfSecondLeg(date: string, first: Flight): string {
  if (!first.scheduled_arrival_time_est.includes('+1')) return date
  const day = date.slice(-2)
  if (!/^\s*[-+]?\d+\s*$/.test(day)) throw valueError(`invalid literal for int() with base 10: ${repr(day)}`)
  return `2024-05-${Number(day) + 1}`
}

const originField = field(str, "The origin city airport in three letters, such as 'JFK'.")
const destinationField = field(str, "The destination city airport in three letters, such as 'LAX'.")
const dateField = (example: string) =>
  field(str, `The date of the flight in the format 'YYYY-MM-DD', such as '${example}'.`)

export const searchDirectFlight: Tool<AirlineState> = tool({
  name: 'search_direct_flight',
  kind: 'read',
  description: 'Search for direct flights between two cities on a specific date.',
  parameters: { origin: originField, destination: destinationField, date: dateField('2024-01-01') },
  returns: field(list(DirectFlight), 'The direct flights between the two cities on the specific date.'),
  call: (state, origin, destination, date) =>
    findFlights(state, { date, origin, destination }).map((flight) => directFlight(flight, date as string, null)),
})

export const searchOnestopFlight: Tool<AirlineState> = tool({
  name: 'search_onestop_flight',
  kind: 'read',
  description: 'Search for one-stop flights between two cities on a specific date.',
  parameters: { origin: originField, destination: destinationField, date: dateField('2024-05-01') },
  returns: field(list(pairOf(DirectFlight)), 'A list of pairs of DirectFlight objects.'),
  call: (state, origin, destination, date) =>
    findFlights(state, { date, origin, destination: null }).flatMap((first): PyValue[] => {
      const day = date as string
      const nextDay = dayOfSecondLeg(day, first)
      // Upstream's bug: an arrival like "01:30:00+1" is compared as text, so that the next day's early flights are missed.
      const leaveAfter = first.scheduled_arrival_time_est
      const seconds = findFlights(state, { date: nextDay, origin: first.destination, destination, leaveAfter })
      if (seconds.length === 0) return []
      const shown = directFlight(first, day, day)
      return seconds.map((second) => [shown, directFlight(second, nextDay, nextDay)])
    }),
})

export const getFlightStatus: Tool<AirlineState> = tool({
  name: 'get_flight_status',
  kind: 'read',
  description: 'Get the status of a flight.',
  parameters: {
    flight_number: field(str, 'The flight number.'),
    date: field(str, 'The date of the flight.'),
  },
  returns: field(str, 'The status of the flight.'),
  call: (state, flightNumber, date) => flightOnDate(state, flightNumber, date).status,
})
