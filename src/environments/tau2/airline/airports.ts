import { field, list } from '../model.ts'
import { type Tool, tool } from '../tool.ts'
import { AirportCode } from './models.ts'
import type { AirlineState } from './state.ts'

/** The airports that upstream's tool lists, whatever flights there are. */
const AIRPORTS = Object.entries({
  SFO: 'San Francisco',
  JFK: 'New York',
  LAX: 'Los Angeles',
  ORD: 'Chicago',
  DFW: 'Dallas',
  DEN: 'Denver',
  SEA: 'Seattle',
  ATL: 'Atlanta',
  MIA: 'Miami',
  BOS: 'Boston',
  PHX: 'Phoenix',
  IAH: 'Houston',
  LAS: 'Las Vegas',
  MCO: 'Orlando',
  EWR: 'Newark',
  CLT: 'Charlotte',
  MSP: 'Minneapolis',
  DTW: 'Detroit',
  PHL: 'Philadelphia',
  LGA: 'LaGuardia',
}).map(([iata, city]) => AirportCode.of({ iata, city }))

export const listAllAirports: Tool<AirlineState> = tool({
  name: 'list_all_airports',
  kind: 'read',
  description: 'Returns a list of all available airports.',
  returns: field(list(AirportCode), 'A dictionary mapping IATA codes to AirportInfo objects.'),
  call: () => AIRPORTS,
})
