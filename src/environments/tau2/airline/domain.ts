import { join } from 'node:path'
import { calculate } from '../calculator.ts'
import { TableStore } from '../database.ts'
import type { Domain } from '../domain.ts'
import { constructFrom, readJson, readText } from '../files.ts'
import { field, str } from '../model.ts'
import { type Tool, tool, toolkit } from '../tool.ts'
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

const calculator: Tool<AirlineState> = tool({
  name: 'calculate',
  kind: 'generic',
  description: 'Calculate the result of a mathematical expression.',
  parameters: {
    expression: field(
      str,
      "The mathematical expression to calculate, such as '2 + 2'. The expression can contain numbers, operators (+, -, *, /), parentheses, and spaces.",
    ),
  },
  returns: field(str, 'The result of the mathematical expression.'),
  call: (_, expression) => calculate(expression),
})

const transferToHumanAgents: Tool<AirlineState> = tool({
  name: 'transfer_to_human_agents',
  kind: 'generic',
  description:
    "Transfer the user to a human agent, with a summary of the user's issue.\n\nOnly transfer if\n -  the user explicitly asks for a human agent\n -  given the policy and the available tools, you cannot solve the user's issue.",
  parameters: { summary: field(str, "A summary of the user's issue.") },
  returns: field(str, 'A message indicating the user has been transferred to a human agent.'),
  call: () => 'Transfer successful',
})

/**
 * τ²-bench's airline: reservations of 500 users, whom an agent helps to book, change and cancel.
 * Descriptions of tools and data are upstream's (Sierra Research, MIT licence): equal prompts need equal bytes.
 */
export const airline: Domain<AirlineState> = {
  name: 'airline',
  // Upstream's order, which is that of the prompt.
  tools: toolkit('AirlineTools', [
    bookReservation,
    calculator,
    cancelReservation,
    getReservationDetails,
    getUserDetails,
    listAllAirports,
    searchDirectFlight,
    searchOnestopFlight,
    sendCertificate,
    transferToHumanAgents,
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
