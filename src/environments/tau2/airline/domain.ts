import { join } from 'node:path'
import { TableStore } from '../database.ts'
import type { Domain } from '../domain.ts'
import { constructFrom, readJson, readText } from '../files.ts'
import { CALCULATE, TRANSFER_TO_HUMAN_AGENTS } from '../shared-tools.ts'
import { toolkit } from '../tool.ts'
import { listAllAirports } from './airports.ts'
import { bookReservation } from './booking.ts'
import { FlightDB } from './models.ts'
import {
  cancelReservation,
  getReservationDetails,
  updateReservationBaggages,
  updateReservationFlights,
  updateReservationPassengers,
} from './reservations.ts'
import { departuresOf, getFlightStatus, searchDirectFlight, searchOnestopFlight } from './search.ts'
import type { AirlineState } from './state.ts'
import { getUserDetails, sendCertificate } from './users.ts'

/**
 * τ²-bench's airline: reservations of 500 users, whom an agent helps to book, change and cancel.
 * Descriptions of tools and data are upstream's (Sierra Research, MIT licence): equal prompts need equal bytes.
 */
export const airline: Domain<AirlineState> = {
  name: 'airline',
  // Upstream's order, which is that of the prompt.
  tools: toolkit('AirlineTools', [
    bookReservation,
    CALCULATE,
    cancelReservation,
    getReservationDetails,
    getUserDetails,
    listAllAirports,
    searchDirectFlight,
    searchOnestopFlight,
    sendCertificate,
    TRANSFER_TO_HUMAN_AGENTS,
    updateReservationBaggages,
    updateReservationFlights,
    updateReservationPassengers,
    getFlightStatus,
  ]),
  userTools: null,
  load(folder) {
    const db = constructFrom(FlightDB, readJson(folder, 'db.json'), join(folder, 'db.json'))
    const store = new TableStore(FlightDB, db)
    const departures = departuresOf(db.flights)
    return {
      policy: readText(folder, 'policy.md'),
      open: () => ({ db: store.open(), userDb: null, departures }),
    }
  },
}
