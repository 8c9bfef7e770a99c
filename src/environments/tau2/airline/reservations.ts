import { field, int, str } from '../model.ts'
import { attributeOf, iterate, length } from '../python/access.ts'
import { compare, multiply, subtract } from '../python/arithmetic.ts'
import { PyError, valueError } from '../python/errors.ts'
import { clone, equals, type PyValue } from '../python/value.ts'
import { type Tool, tool } from '../tool.ts'
import { cabinClass } from './cabins.ts'
import { FlightInfo, Passenger, Payment, Reservation, type ReservationFlight } from './models.ts'
import { BAGGAGE_PRICE, settle } from './payments.ts'
import { listOfGiven, offer, readEach } from './seats.ts'
import { type AirlineState, type Booked, reservationOf, userOf } from './state.ts'

/** Each cancellation doubles the history: upstream would go on until memory ends. */
const LONGEST_HISTORY = 10_000

const idField = field(str, "The reservation ID, such as 'ZFA04Y'.")
const paymentIdField = field(
  str,
  "The payment id stored in user profile, such as 'credit_card_7815826', 'gift_card_7815826', 'certificate_7815826'.",
)
const updated = field(Reservation, 'The updated reservation.')

/** This episode's own copy of a reservation that exists. */
function edit({ db }: AirlineState, id: PyValue): Booked {
  return db.tables.reservations.edit(id as string)
}

/** The same once its change is paid for, with the payment in its history. */
function editPaid(state: AirlineState, id: PyValue, paymentId: PyValue, total: PyValue): Booked {
  const payment = settle(state, reservationOf(state, id).user_id, paymentId, total)
  const reservation = edit(state, id)
  if (payment) reservation.payment_history.push(payment)
  return reservation
}

export const getReservationDetails: Tool<AirlineState> = tool({
  name: 'get_reservation_details',
  kind: 'read',
  description: 'Get the details of a reservation.',
  parameters: { reservation_id: field(str, "The reservation ID, such as '8JX2WO'.") },
  returns: field(Reservation, 'The reservation details.'),
  call: (state, id) => reservationOf(state, id),
})

/**
 * Upstream's bugs: a reservation can be cancelled again, which gives back what was given back;
 * seats stay taken, and no gift card is credited.
 */
export const cancelReservation: Tool<AirlineState> = tool({
  name: 'cancel_reservation',
  kind: 'write',
  description: 'Cancel the whole reservation.',
  parameters: { reservation_id: idField },
  returns: updated,
  call(state, id) {
    const { payment_history } = reservationOf(state, id)
    if (payment_history.length > LONGEST_HISTORY) throw new PyError('OverflowError', 'payment history is too long')
    const refunds = payment_history.map(({ payment_id, amount }) => Payment.of({ payment_id, amount: -amount }))
    const reservation = edit(state, id)
    reservation.payment_history = [...reservation.payment_history, ...refunds]
    reservation.status = 'cancelled'
    return reservation
  },
})

/** Pays for added bags only; fewer are not refunded. */
export const updateReservationBaggages: Tool<AirlineState> = tool({
  name: 'update_reservation_baggages',
  kind: 'write',
  description: 'Update the baggage information of a reservation.',
  parameters: {
    reservation_id: field(str, "The reservation ID, such as 'ZFA04Y'"),
    total_baggages: field(int, 'The updated total number of baggage items included in the reservation.'),
    nonfree_baggages: field(int, 'The updated number of non-free baggage items included in the reservation.'),
    payment_id: paymentIdField,
  },
  returns: updated,
  call(state, id, totalBaggages, nonfreeBaggages, paymentId) {
    const { user_id, nonfree_baggages } = reservationOf(state, id)
    userOf(state, user_id)
    const added = subtract(nonfreeBaggages, nonfree_baggages)
    const price = compare(added, 0n) > 0 ? multiply(BAGGAGE_PRICE, added) : 0n
    const reservation = editPaid(state, id, paymentId, price)
    reservation.total_baggages = totalBaggages
    reservation.nonfree_baggages = nonfreeBaggages
    return reservation
  },
})

/** Upstream's bugs: seats are neither taken nor released, and a cabin is not checked where no flight is. */
export const updateReservationFlights: Tool<AirlineState> = tool({
  name: 'update_reservation_flights',
  kind: 'write',
  description: 'Update the flight information of a reservation.',
  parameters: {
    reservation_id: idField,
    cabin: field(cabinClass, 'The cabin class of the reservation'),
    flights: listOfGiven(
      FlightInfo,
      'An array of objects containing details about each piece of flight in the ENTIRE new reservation. Even if the a flight segment is not changed, it should still be included in the array.',
    ),
    payment_id: paymentIdField,
  },
  returns: updated,
  call(state, id, cabin, flights, paymentId) {
    const wanted = readEach(FlightInfo, flights)
    const old = reservationOf(state, id)
    userOf(state, old.user_id)
    const count = BigInt(length(old.passengers))
    /** The flight as it is booked already, which keeps its price if the cabin stays. */
    const kept = (info: PyValue) =>
      old.flights.find(
        ({ flight_number, date }) =>
          flight_number === attributeOf(info, 'flight_number') &&
          date === attributeOf(info, 'date') &&
          equals(cabin, old.cabin),
      )
    const booked = iterate(wanted).map((info) => kept(info) ?? offer(state, info, cabin, count))
    const priceOf = (list: readonly ReservationFlight[]) => list.reduce((sum, { price }) => sum + price, 0n) * count
    const reservation = editPaid(state, id, paymentId, priceOf(booked) - priceOf(old.flights))
    reservation.flights = booked
    reservation.cabin = cabin
    return reservation
  },
})

export const updateReservationPassengers: Tool<AirlineState> = tool({
  name: 'update_reservation_passengers',
  kind: 'write',
  description: 'Update the passenger information of a reservation.',
  parameters: {
    reservation_id: idField,
    passengers: listOfGiven(Passenger, 'An array of objects containing details about each passenger.'),
  },
  returns: updated,
  call(state, id, passengers) {
    const given = readEach(Passenger, passengers)
    if (length(given) !== length(reservationOf(state, id).passengers)) {
      throw valueError('Number of passengers does not match')
    }
    const reservation = edit(state, id)
    reservation.passengers = clone(given)
    return reservation
  },
})
