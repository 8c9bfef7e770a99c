import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Tau2World } from '../environment.ts'
import { dumps, parseJson } from '../python/json.ts'
import type { PyDict, PyValue } from '../python/value.ts'
import { airline } from './domain.ts'
import type { AirlineState } from './state.ts'

const data = airline.load(join(import.meta.dirname, 'testing', 'tiny'))

/** What an environment in this state answers; arguments are JSON, which keeps `2` and `2.0` apart. */
const callWith = (state: AirlineState, name: string, json: string): string =>
  new Tau2World(airline, { ...data, open: () => state }).call('assistant', name, parseJson(json) as PyDict).content

const changes = (state: AirlineState) =>
  state.db.changes().map(({ op, path, value }) => `${op} ${path}${value === undefined ? '' : ` ${dumps(value)}`}`)

const booking = (change: Record<string, unknown> = {}) =>
  JSON.stringify({
    user_id: 'ada_moss_1001',
    origin: 'SFO',
    destination: 'ORD',
    flight_type: 'one_way',
    cabin: 'economy',
    flights: [{ flight_number: 'HAT901', date: '2024-05-20' }],
    passengers: [{ first_name: 'Ada', last_name: 'Moss', dob: '1990-01-01' }],
    payment_methods: [{ payment_id: 'credit_card_1', amount: 100 }],
    total_baggages: 0,
    nonfree_baggages: 0,
    insurance: 'no',
    ...change,
  })

describe('booking', () => {
  it('takes money and seats, and spends a certificate whole', () => {
    const state = data.open()
    const payments = [
      { payment_id: 'certificate_1', amount: 100 },
      { payment_id: 'gift_card_1', amount: 60 },
      { payment_id: 'credit_card_1', amount: 20 },
    ]
    const change = { payment_methods: payments, nonfree_baggages: 1, total_baggages: 2, insurance: 'yes' }
    expect(callWith(state, 'book_reservation', booking(change))).toMatch(/"insurance": "yes", "status": null}$/)
    const { db } = state
    expect(db.tables.reservations.get('HATHAT')?.created_at).toBe('2024-05-15T15:00:00')
    expect(changes(state).filter((line) => !line.startsWith('add'))).toEqual([
      'replace /flights/HAT901/dates/2024-05-20/available_seats/economy 2',
      'remove /users/ada_moss_1001/payment_methods/certificate_1',
      'replace /users/ada_moss_1001/payment_methods/gift_card_1/amount 140.0',
      'replace /users/ada_moss_1001/reservations ["AAAAAA", "HATHAT"]',
    ])
  })

  it('asks for the exact price', () => {
    const paid = (amount: unknown) => booking({ payment_methods: [{ payment_id: 'credit_card_1', amount }] })
    expect(callWith(data.open(), 'book_reservation', paid(99))).toBe(
      'Error: Payment amount does not add up, total price is 100, but paid 99',
    )
    expect(callWith(data.open(), 'book_reservation', paid('100.0'))).toContain('"amount": 100}')
    expect(callWith(data.open(), 'book_reservation', booking({ nonfree_baggages: '1' }))).toBe(
      "Error: unsupported operand type(s) for +=: 'int' and 'str'",
    )
  })

  it('keeps what was done before an error: a certificate named twice is gone', () => {
    const state = data.open()
    const half = { payment_id: 'certificate_1', amount: 50 }
    expect(callWith(state, 'book_reservation', booking({ payment_methods: [half, half] }))).toBe(
      "Error: 'certificate_1'",
    )
    expect(changes(state)).toEqual(['remove /users/ada_moss_1001/payment_methods/certificate_1'])
  })

  it('counts the seats of a flight named twice only afterwards', () => {
    const state = data.open()
    const flights = [1, 2].map(() => ({ flight_number: 'HAT901', date: '2024-05-20' }))
    const passengers = [1, 2, 3].map(() => ({ first_name: 'Ada', last_name: 'Moss', dob: '1990-01-01' }))
    const payment_methods = [{ payment_id: 'credit_card_1', amount: 600 }]
    callWith(state, 'book_reservation', booking({ flights, passengers, payment_methods }))
    expect(changes(state)[0]).toBe('replace /flights/HAT901/dates/2024-05-20/available_seats/economy -3')
  })

  it('has ids for three', () => {
    const state = data.open()
    const one = booking({ flights: [], payment_methods: [], passengers: [] })
    const ids = [1, 2, 3, 4].map(() => callWith(state, 'book_reservation', one).slice(0, 29))
    expect(ids.slice(0, 3).map((text) => text.slice(20, 26))).toEqual(['HATHAT', 'HATHAU', 'HATHAV'])
    expect(ids[3]).toBe('Error: Too many reservations')
  })

  it.each([
    [{ flights: [{ flight_number: 'HAT901', date: '2024-05-14' }] }, 'Flight HAT901 not available on date 2024-05-14'],
    [{ flights: [{ flight_number: 'HAT901', date: '2024-06-01' }] }, 'Flight HAT901 not found on date 2024-06-01'],
    [{ flights: ['HAT901'] }, "'str' object has no attribute 'flight_number'"],
    [{ flights: [{ flight_number: 'HAT901' }, 1] }, "'dict' object has no attribute 'flight_number'"],
    [{ flights: 7 }, "'int' object is not iterable"],
    [{ cabin: 'business', passengers: [{}] }, '3 validation errors for Passenger\nfirst_name\n  Field required'],
    [{ passengers: 'Ada' }, '1 validation error for Reservation\npassengers\n  Input should be a valid list'],
    [{ cabin: 'first' }, "1 validation error for Reservation\ncabin\n  Input should be 'business', 'economy' or 'ba"],
    [{ user_id: 'nobody' }, 'User nobody not found'],
    [{ payment_methods: [{ payment_id: 'x', amount: 100 }] }, 'Payment method x not found'],
    [
      { payment_methods: [{ payment_id: 'gift_card_1', amount: 900 }] },
      'Not enough balance in payment method gift_car',
    ],
  ])('refuses %j', (change, message) => {
    const state = data.open()
    expect(callWith(state, 'book_reservation', booking(change)).slice(0, `Error: ${message}`.length)).toBe(
      `Error: ${message}`,
    )
    expect(changes(state)).toEqual([])
  })
})

describe('changing a reservation', () => {
  const kept = '{"flight_number": "HAT901", "date": "2024-05-20"}'
  const update = (flights: string, more: string) => `{"reservation_id": "AAAAAA", "flights": ${flights}, ${more}}`

  it('keeps the old price of flights that stay, and credits a gift card', () => {
    const state = data.open()
    callWith(
      state,
      'update_reservation_flights',
      update(`[${kept}]`, '"cabin": "economy", "payment_id": "gift_card_1"'),
    )
    expect(changes(state)).toEqual([
      'replace /reservations/AAAAAA/flights [{"flight_number": "HAT901", "origin": "SFO", "destination": "ORD", "date": "2024-05-20", "price": 110}]',
      'replace /reservations/AAAAAA/payment_history [{"payment_id": "credit_card_1", "amount": 380}, {"payment_id": "gift_card_1", "amount": -160}]',
      'replace /users/ada_moss_1001/payment_methods/gift_card_1/amount 360.0',
    ])
  })

  it('takes any cabin where there is no flight to check', () => {
    const state = data.open()
    callWith(state, 'update_reservation_flights', update('[]', '"cabin": {"a": 1.0}, "payment_id": "credit_card_1"'))
    expect(changes(state)[0]).toBe('replace /reservations/AAAAAA/cabin {"a": 1.0}')
  })

  it('can be cancelled again and again', () => {
    const state = data.open()
    for (let times = 0; times < 2; times++) callWith(state, 'cancel_reservation', '{"reservation_id": "AAAAAA"}')
    const amounts = state.db.tables.reservations.get('AAAAAA')?.payment_history.map(({ amount }) => amount)
    expect(amounts).toEqual([380n, -380n, -380n, 380n])
    for (let times = 0; times < 20; times++) callWith(state, 'cancel_reservation', '{"reservation_id": "AAAAAA"}')
    expect(callWith(state, 'cancel_reservation', '{"reservation_id": "AAAAAA"}')).toMatch(/too long$/)
  })

  it('pays for added bags, and charges the card even when the payment then fails', () => {
    const bags = (nonfree: string, method: string) =>
      `{"reservation_id": "AAAAAA", "total_baggages": "many", "nonfree_baggages": ${nonfree}, "payment_id": "${method}"}`
    const state = data.open()
    callWith(state, 'update_reservation_baggages', bags('2', 'gift_card_1'))
    callWith(state, 'update_reservation_baggages', bags('1', 'credit_card_1'))
    expect(changes(state)).toEqual([
      'replace /reservations/AAAAAA/nonfree_baggages 1',
      'replace /reservations/AAAAAA/payment_history [{"payment_id": "credit_card_1", "amount": 380}, {"payment_id": "gift_card_1", "amount": 100}]',
      'replace /reservations/AAAAAA/total_baggages "many"',
      'replace /users/ada_moss_1001/payment_methods/gift_card_1/amount 100.0',
    ])
    const half = data.open()
    expect(callWith(half, 'update_reservation_baggages', bags('0.25', 'gift_card_1'))).toContain('int_from_float')
    expect(changes(half)).toEqual(['replace /users/ada_moss_1001/payment_methods/gift_card_1/amount 187.5'])
    expect(callWith(data.open(), 'update_reservation_baggages', bags('1', 'certificate_1'))).toBe(
      'Error: Certificate cannot be used to update reservation',
    )
  })

  it('takes as passengers whatever is as long', () => {
    const state = data.open()
    const given = (passengers: string) => `{"reservation_id": "AAAAAA", "passengers": ${passengers}}`
    callWith(state, 'update_reservation_passengers', given('["\u{1f600}", 1.0]'))
    expect(changes(state)).toEqual([
      'replace /reservations/AAAAAA/passengers/0 "\\ud83d\\ude00"',
      'replace /reservations/AAAAAA/passengers/1 1.0',
    ])
    expect(callWith(state, 'update_reservation_passengers', given('"\u{1f600}y"'))).toContain('"\\ud83d\\ude00y"')
    expect(callWith(state, 'update_reservation_passengers', given('[]'))).toMatch(/does not match$/)
  })
})

describe('searching', () => {
  const search = (tool: string, origin: unknown, destination: unknown, date: unknown) =>
    callWith(data.open(), tool, JSON.stringify({ origin, destination, date }))
  const numbers = (text: string) => [...text.matchAll(/"flight_number": "(\w+)"/g)].map((match) => match[1])

  it('finds direct flights with seats; null stands for any airport', () => {
    expect(search('search_direct_flight', 'SFO', 'ORD', '2024-05-08')).toBe(
      '[{"flight_number": "HAT903", "origin": "SFO", "destination": "ORD", "status": "available", ' +
        '"scheduled_departure_time_est": "20:00:00", "scheduled_arrival_time_est": "01:30:00+1", "date": null, ' +
        '"available_seats": {"basic_economy": 4, "economy": 4, "business": 4}, ' +
        '"prices": {"basic_economy": 50, "economy": 100, "business": 300}}]',
    )
    expect(numbers(search('search_direct_flight', null, null, '2024-05-20'))).toEqual(['HAT901', 'HAT902', 'HAT903'])
    expect(search('search_direct_flight', 'SFO', 'ORD', [])).toBe("Error: unhashable type: 'list'")
    expect(search('search_direct_flight', 'SFO', 'MIA', [])).toBe('[]')
  })

  it('joins flights by their times as text, and loses the day after the 8th', () => {
    const found = search('search_onestop_flight', 'SFO', 'JFK', '2024-05-20')
    expect(numbers(found)).toEqual(['HAT901', 'HAT902', 'HAT903', 'HAT902'])
    expect(found.match(/"date": "[-\d]+"/g)?.map((date) => date.slice(-3, -1))).toEqual(['20', '20', '20', '21'])
    expect(search('search_onestop_flight', 'SFO', 'JFK', '2024-05-08')).toBe('[]')
  })
})

describe('an episode', () => {
  it('searches flights that initialization data brought or moved', () => {
    const state = data.open()
    const found = (origin: string) =>
      [
        ...callWith(
          state,
          'search_direct_flight',
          `{"origin": "${origin}", "destination": "JFK", "date": "2024-05-20"}`,
        ).matchAll(/HAT\d+/g),
      ].join()
    const moved = parseJson('{"flights": {"HAT901": {"origin": "LAX", "destination": "JFK"}}}') as PyDict
    expect(found('LAX')).toBe('')
    state.db = state.db.updated(moved) as AirlineState['db']
    expect(found('LAX')).toBe('HAT901')
    expect(found('ORD')).toBe('HAT902')
  })

  it('leaves the shared data as it was', () => {
    const before = data.open().db.hash()
    const state = data.open()
    callWith(state, 'book_reservation', booking())
    callWith(state, 'cancel_reservation', '{"reservation_id": "AAAAAA"}')
    callWith(state, 'send_certificate', '{"user_id": "cy_ode_1002", "amount": 50.5}')
    expect(state.db.hash()).not.toBe(before)
    expect(data.open().db.hash()).toBe(before)
    expect(data.open().db.sameAs(state.db)).toBe(false)
  })

  it('gives certificates in the words of the call', () => {
    const state = data.open()
    const send = (amount: PyValue) =>
      callWith(state, 'send_certificate', `{"user_id": "cy_ode_1002", "amount": ${dumps(amount)}}`)
    expect(send('1_0')).toBe('Certificate certificate_3221322 added to user cy_ode_1002 with amount 1_0.')
    expect(send(true)).toMatch(/amount True\.$/)
    expect(send(null)).toContain('Input should be a valid number')
    expect(send(2n)).toMatch(/^Certificate certificate_3221324 /)
    expect(send(2n)).toBe('Error: Too many certificates')
    expect(changes(state)[0]).toContain('"amount": 10.0')
  })
})
