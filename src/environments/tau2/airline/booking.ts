import { field, int, str } from '../model.ts'
import { itemAt, iterate } from '../python/access.ts'
import { add, compare, multiply, sum } from '../python/arithmetic.ts'
import { valueError } from '../python/errors.ts'
import { str as text } from '../python/number.ts'
import { equals, type PyValue } from '../python/value.ts'
import { type Tool, tool } from '../tool.ts'
import { cabinClass } from './cabins.ts'
import { FlightInfo, flightType, insuranceChoice, Passenger, Payment, Reservation, type User } from './models.ts'
import { BAGGAGE_PRICE, charge, hasBalance } from './payments.ts'
import { listOfGiven, offer, readEach, takeSeats } from './seats.ts'
import { type AirlineState, userOf } from './state.ts'

/** Ids of new reservations: three an episode, and the fourth is refused. */
const RESERVATION_IDS = ['HATHAT', 'HATHAU', 'HATHAV']
const NOW = '2024-05-15T15:00:00'
const INSURANCE_PRICE = 30n

function newReservationId({ db }: AirlineState): string {
  const id = RESERVATION_IDS.find((one) => !db.tables.reservations.has(one))
  if (id === undefined) throw valueError('Too many reservations')
  return id
}

/** Whether each payment by itself could be made. Upstream's bug: one method named twice is not added up. */
function checkBalances(user: User, payments: readonly Payment[]): void {
  for (const { payment_id, amount } of payments) {
    const method = user.payment_methods.get(payment_id)
    if (!method) throw valueError(`Payment method ${payment_id} not found`)
    if (hasBalance(method) && compare(method.amount, amount) < 0) {
      throw valueError(`Not enough balance in payment method ${payment_id}`)
    }
  }
}

/**
 * Takes the payments from a user's methods. A certificate is used up whole, whatever the amount.
 * @throws PyError KeyError for a certificate named twice, when it is used up already
 */
function pay(user: User, payments: readonly Payment[]): void {
  for (const { payment_id, amount } of payments) {
    const method = itemAt(user.payment_methods, payment_id)
    if (method.source === 'gift_card') charge(method, amount)
    else if (method.source === 'certificate') user.payment_methods.delete(payment_id)
  }
}

export const bookReservation: Tool<AirlineState> = tool({
  name: 'book_reservation',
  kind: 'write',
  description: 'Book a reservation.',
  parameters: {
    user_id: field(str, "The ID of the user to book the reservation such as 'sara_doe_496'`."),
    origin: field(str, "The IATA code for the origin city such as 'SFO'."),
    destination: field(str, "The IATA code for the destination city such as 'JFK'."),
    flight_type: field(flightType, "The type of flight such as 'one_way' or 'round_trip'."),
    cabin: field(cabinClass, "The cabin class such as 'basic_economy', 'economy', or 'business'."),
    flights: listOfGiven(FlightInfo, 'An array of objects containing details about each piece of flight.'),
    passengers: listOfGiven(Passenger, 'An array of objects containing details about each passenger.'),
    payment_methods: listOfGiven(Payment, 'An array of objects containing details about each payment method.'),
    total_baggages: field(int, 'The total number of baggage items to book the reservation.'),
    nonfree_baggages: field(int, 'The number of non-free baggage items to book the reservation.'),
    insurance: field(insuranceChoice, 'Whether the reservation has insurance.'),
  },
  returns: field(Reservation),
  call(state, ...values) {
    const [userId, origin, destination, flight_type, cabin, flights, passengers, paymentMethods] = values
    const [total_baggages, nonfree_baggages, insurance] = values.slice(8)
    const wanted = readEach(FlightInfo, flights)
    const travellers = readEach(Passenger, passengers)
    const payments = readEach(Payment, paymentMethods)
    const user = userOf(state, userId)
    const reservation_id = newReservationId(state)
    const reservation = Reservation.of({
      reservation_id,
      user_id: userId,
      origin,
      destination,
      flight_type,
      cabin,
      flights: [],
      passengers: travellers,
      payment_history: payments,
      created_at: NOW,
      total_baggages,
      nonfree_baggages,
      insurance,
    })

    const count = BigInt(reservation.passengers.length)
    reservation.flights = iterate(wanted).map((info) => offer(state, info, cabin, count))
    let price: PyValue = reservation.flights.reduce((total, flight) => total + flight.price * count, 0n)
    if (insurance === 'yes') price = add(price, INSURANCE_PRICE * count)
    // The argument as it came, not as it was read: text is refused here, though the reservation took it.
    price = add(price, multiply(BAGGAGE_PRICE, nonfree_baggages), '+=')

    checkBalances(user, reservation.payment_history)
    const paid = sum(reservation.payment_history.map(({ amount }) => amount))
    if (!equals(paid, price)) {
      throw valueError(`Payment amount does not add up, total price is ${text(price)}, but paid ${text(paid)}`)
    }

    const { users, reservations } = state.db.tables
    const payer = users.edit(userId as string)
    pay(payer, reservation.payment_history)
    for (const flight of reservation.flights) takeSeats(state, flight, reservation.cabin, count)
    reservations.add(reservation_id, reservation)
    payer.reservations.push(reservation_id)
    return reservation
  },
})
