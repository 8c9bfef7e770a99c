import { any, dict, type Field, type Fields, field, list, type Model, union } from '../model.ts'
import { attributeOf, itemAt, iterate } from '../python/access.ts'
import { valueError } from '../python/errors.ts'
import { str } from '../python/number.ts'
import { isDict, isModel, MODEL, type PyValue } from '../python/value.ts'
import { FlightDateStatusAvailable, ReservationFlight } from './models.ts'
import { type AirlineState, flightOf, flightOnDate } from './state.ts'

/** A parameter that takes instances of a model, or dictionaries to be read as such. */
export function listOfGiven<F extends Fields>(model: Model<F>, description: string): Field {
  return field(list(union(model, dict(any))), description)
}

/**
 * Dictionaries read as instances of a model. When anything else is among them upstream reads none,
 * and goes on with the value as it came.
 * @throws PyError TypeError for what cannot be iterated; ValidationError
 */
export function readEach(model: Model, given: PyValue): PyValue {
  const items = iterate(given)
  return items.every(isDict) ? items.map((item) => model.construct(item)) : given
}

/** Whether seats are sold for a flight on a day. */
function isAvailable(day: PyValue): day is FlightDateStatusAvailable {
  return isModel(day) && (day[MODEL] as unknown) === FlightDateStatusAvailable
}

/**
 * A flight as it would be booked today, with enough seats left.
 * @param wanted a FlightInfo; what else came is refused as Python does
 * @throws PyError ValueError, or KeyError for a cabin that no flight has
 */
export function offer(state: AirlineState, wanted: PyValue, cabin: PyValue, passengers: bigint): ReservationFlight {
  const number = attributeOf(wanted, 'flight_number')
  const { origin, destination } = flightOf(state, number)
  const date = attributeOf(wanted, 'date')
  const day = flightOnDate(state, number, date)
  if (!isAvailable(day)) throw valueError(`Flight ${str(number)} not available on date ${str(date)}`)
  if (itemAt(day.available_seats, cabin) < passengers) throw valueError(`Not enough seats on flight ${str(number)}`)
  const price = itemAt(day.prices, cabin)
  return ReservationFlight.of({ flight_number: number, origin, destination, date, price })
}

/** Takes the seats of a booked flight out of sale. */
export function takeSeats(state: AirlineState, booked: ReservationFlight, cabin: string, passengers: bigint): void {
  const flight = state.db.tables.flights.edit(booked.flight_number)
  const { available_seats } = flight.dates.get(booked.date) as FlightDateStatusAvailable
  available_seats.set(cabin, itemAt(available_seats, cabin) - passengers)
}
