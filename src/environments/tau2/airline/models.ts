/**
 * The airline's data, as upstream declares it: order of fields, types and defaults decide the dump and its hash.
 * Descriptions go into the schemas that models see, so the wording is τ²-bench's own
 * (Sierra Research, MIT licence, https://github.com/sierra-research/tau2-bench).
 */
import { dict, field, float, type InstanceOf, int, list, literal, Model, optional, str, union } from '../model.ts'
import { byCabin, cabinClass } from './cabins.ts'

export const flightType = literal('round_trip', 'one_way')
export const insuranceChoice = literal('yes', 'no')

export const AirportCode = new Model('AirportCode', {
  iata: field(str, 'IATA code'),
  city: field(str, 'City name'),
})

const Name = new Model('Name', {
  first_name: field(str, "The person's first name"),
  last_name: field(str, "The person's last name"),
})

const Address = new Model('Address', {
  address1: field(str, 'Primary address line'),
  address2: field(optional(str), 'Secondary address line (optional)', null),
  city: field(str, 'City name'),
  country: field(str, 'Country name'),
  state: field(str, 'State or province name'),
  zip: field(str, 'Postal code'),
})

/** Money given for a reservation, or given back when negative. */
export const Payment = new Model('Payment', {
  payment_id: field(str, 'Unique identifier for the payment'),
  amount: field(int, 'Payment amount in dollars'),
})
export type Payment = InstanceOf<typeof Payment>

const paymentMethodId = field(str, 'Unique identifier for the payment method')

const CreditCard = new Model('CreditCard', {
  source: field(literal('credit_card'), 'Indicates this is a credit card payment method'),
  id: paymentMethodId,
  brand: field(str, 'Credit card brand (e.g., visa, mastercard)'),
  last_four: field(str, 'Last four digits of the credit card'),
})

const GiftCard = new Model('GiftCard', {
  source: field(literal('gift_card'), 'Indicates this is a gift card payment method'),
  id: field(str, 'Unique identifier for the gift card'),
  amount: field(float, 'Gift card value amount'),
})

export const Certificate = new Model('Certificate', {
  source: field(literal('certificate'), 'Indicates this is a certificate payment method'),
  id: paymentMethodId,
  amount: field(float, 'Certificate value amount'),
})

export const Passenger = new Model('Passenger', {
  first_name: field(str, "Passenger's first name"),
  last_name: field(str, "Passenger's last name"),
  dob: field(str, 'Date of birth in YYYY-MM-DD format'),
})

const available = field(literal('available'), 'Indicates flight is available for booking')
const availableSeats = field(byCabin, 'Available seats by class')
const prices = field(byCabin, 'Current prices by class')
const timeOf = (what: string, example: string) => field(str, `${what} time in EST in the format ${example}`)
const departure = (kind: 'Estimated' | 'Actual') =>
  timeOf(`${kind} departure`, 'YYYY-MM-DDTHH:MM:SS, e.g 2024-05-15T06:04:00')
const arrival = (kind: 'Estimated' | 'Actual') =>
  timeOf(`${kind} arrival`, 'YYYY-MM-DDTHH:MM:SS, e.g 2024-05-15T07:30:00')

/** A flight on a day for which seats are sold. */
export const FlightDateStatusAvailable = new Model('FlightDateStatusAvailable', {
  status: available,
  available_seats: availableSeats,
  prices,
})
export type FlightDateStatusAvailable = InstanceOf<typeof FlightDateStatusAvailable>

const FlightDateStatusLanded = new Model('FlightDateStatusLanded', {
  status: field(literal('landed'), 'Indicates flight has landed'),
  actual_departure_time_est: departure('Actual'),
  actual_arrival_time_est: arrival('Actual'),
})

const FlightDateStatusCancelled = new Model('FlightDateStatusCancelled', {
  status: field(literal('cancelled'), 'Indicates flight was cancelled'),
})

const FlightDateStatusDelayed = new Model('FlightDateStatusDelayed', {
  status: field(literal('delayed'), 'Indicates flight was delayed'),
  estimated_departure_time_est: departure('Estimated'),
  estimated_arrival_time_est: arrival('Estimated'),
})

const FlightDataStatusFlying = new Model('FlightDataStatusFlying', {
  status: field(literal('flying'), 'Indicates flight is in flight'),
  actual_departure_time_est: departure('Actual'),
  estimated_arrival_time_est: arrival('Estimated'),
})

const FlightDataStatusOnTime = new Model('FlightDataStatusOnTime', {
  status: field(literal('on time'), 'Indicates flight is on time'),
  estimated_departure_time_est: departure('Estimated'),
  estimated_arrival_time_est: arrival('Estimated'),
})

const flightFields = {
  flight_number: field(str, 'Unique flight identifier'),
  origin: field(str, 'IATA code for origin airport'),
  destination: field(str, 'IATA code for destination airport'),
}
const scheduledTimes = {
  scheduled_departure_time_est: timeOf('Scheduled departure', 'HH:MM:SS, e.g 06:00:00'),
  scheduled_arrival_time_est: timeOf('Scheduled arrival', 'HH:MM:SS, e.g 07:00:00'),
}

/** A flight number, with what becomes of it on each day. */
export const Flight = new Model('Flight', {
  ...flightFields,
  ...scheduledTimes,
  dates: field(
    dict(
      union(
        FlightDateStatusAvailable,
        FlightDateStatusLanded,
        FlightDateStatusCancelled,
        FlightDateStatusDelayed,
        FlightDataStatusFlying,
        FlightDataStatusOnTime,
      ),
    ),
    'Flight status by date (YYYY-MM-DD)',
  ),
})
export type Flight = InstanceOf<typeof Flight>
export type FlightDateStatus = Flight['dates'] extends Map<string, infer S> ? S : never

/** One flight that a search found. */
export const DirectFlight = new Model('DirectFlight', {
  ...flightFields,
  status: available,
  ...scheduledTimes,
  date: field(optional(str), 'Flight date in YYYY-MM-DD format', null),
  available_seats: availableSeats,
  prices,
})
export type DirectFlight = InstanceOf<typeof DirectFlight>

/** One flight of a reservation, at the price it was booked for. */
export const ReservationFlight = new Model('ReservationFlight', {
  ...flightFields,
  date: field(str, 'Flight date in YYYY-MM-DD format'),
  price: field(int, 'Flight price in dollars.'),
})
export type ReservationFlight = InstanceOf<typeof ReservationFlight>

/** A flight as a caller names it. */
export const FlightInfo = new Model('FlightInfo', {
  flight_number: field(str, "Flight number, such as 'HAT001'."),
  date: field(str, "The date for the flight in the format 'YYYY-MM-DD', such as '2024-05-01'."),
})

export const User = new Model('User', {
  user_id: field(str, 'Unique identifier for the user'),
  name: field(Name, "User's full name"),
  address: field(Address, "User's address information"),
  email: field(str, "User's email address"),
  dob: field(str, "User's date of birth in the format YYYY-MM-DD, e.g 1990-04-05"),
  payment_methods: field(dict(union(CreditCard, GiftCard, Certificate)), "User's saved payment methods"),
  saved_passengers: field(list(Passenger), "User's saved passenger information"),
  membership: field(literal('gold', 'silver', 'regular'), "User's membership level"),
  reservations: field(list(str), "List of user's reservation IDs"),
})
export type User = InstanceOf<typeof User>

export const Reservation = new Model('Reservation', {
  reservation_id: field(str, 'Unique identifier for the reservation'),
  user_id: field(str, 'ID of the user who made the reservation'),
  origin: field(str, 'IATA code for trip origin'),
  destination: field(str, 'IATA code for trip destination'),
  flight_type: field(flightType, 'Type of trip'),
  cabin: field(cabinClass, 'Selected cabin class'),
  flights: field(list(ReservationFlight), 'List of flights in the reservation'),
  passengers: field(list(Passenger), 'List of passengers on the reservation'),
  payment_history: field(list(Payment), 'History of payments for this reservation'),
  created_at: field(str, 'Timestamp when reservation was created in the format YYYY-MM-DDTHH:MM:SS'),
  total_baggages: field(int, 'Total number of bags in reservation'),
  nonfree_baggages: field(int, 'Number of paid bags in reservation'),
  insurance: field(insuranceChoice, 'Whether travel insurance was purchased'),
  status: field(optional(literal('cancelled')), 'Status of the reservation', null),
})
export type Reservation = InstanceOf<typeof Reservation>

export const FlightDB = new Model(
  'FlightDB',
  {
    flights: field(dict(Flight), 'Dictionary of all flights indexed by flight number'),
    users: field(dict(User), 'Dictionary of all users indexed by user ID'),
    reservations: field(dict(Reservation), 'Dictionary of all reservations indexed by reservation ID'),
  },
  { forbidExtra: true },
)
