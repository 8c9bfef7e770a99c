import { join } from 'node:path'
import { UserError } from '../../../core/index.ts'
import { ModelDatabase } from '../database.ts'
import type { Domain, DomainData } from '../domain.ts'
import { constructFrom, readText } from '../files.ts'
import { freeze } from '../python/value.ts'
import { TRANSFER_TO_HUMAN_AGENTS } from '../shared-tools.ts'
import { type Tool, toolkit } from '../tool.ts'
import { agentAssertions, userAssertions } from './assertions.ts'
import { billMethods, billTools } from './bills.ts'
import { customerTools } from './customers.ts'
import { airplaneMethods, airplaneTools } from './device/airplane.ts'
import { apnMethods, apnTools } from './device/apn.ts'
import { appMethods, appTools } from './device/apps.ts'
import { dataMethods, dataTools } from './device/data.ts'
import { mmsTools } from './device/mms.ts'
import { networkMethods, networkTools } from './device/network.ts'
import { paymentTools } from './device/payment.ts'
import { simMethods, simTools } from './device/sim.ts'
import { speedTools } from './device/speed.ts'
import { statusBarTools } from './device/statusbar.ts'
import { vpnMethods, vpnTools } from './device/vpn.ts'
import { wifiMethods, wifiTools } from './device/wifi.ts'
import { lineMethods, lineTools } from './lines.ts'
import { telecomModel } from './models.ts'
import { recordTools } from './records.ts'
import { billIds, type TelecomState } from './state.ts'
import { surroundingsMethods } from './surroundings.ts'
import { syncTelecom } from './sync.ts'
import { AGENT_TEXTS, USER_TEXTS } from './texts.ts'
import { readToml } from './toml.ts'
import { telecomUserModel, vpnModel } from './usermodels.ts'

/** The tools in upstream's order, which prompts show. */
function inOrder(names: object, tools: Tool<TelecomState>[]): Tool<TelecomState>[] {
  const order = Object.keys(names)
  return tools.sort((left, right) => order.indexOf(left.name) - order.indexOf(right.name))
}

const tools = toolkit<TelecomState>(
  'TelecomTools',
  inOrder(AGENT_TEXTS, [...customerTools, ...recordTools, ...lineTools, ...billTools, TRANSFER_TO_HUMAN_AGENTS]),
  [...lineMethods, ...billMethods, ...agentAssertions],
)

const userTools = toolkit<TelecomState>(
  'TelecomUserTools',
  inOrder(USER_TEXTS, [
    ...statusBarTools,
    ...networkTools,
    ...speedTools,
    ...airplaneTools,
    ...simTools,
    ...dataTools,
    ...apnTools,
    ...wifiTools,
    ...vpnTools,
    ...appTools,
    ...mmsTools,
    ...paymentTools,
  ]),
  [
    ...surroundingsMethods,
    ...networkMethods,
    ...airplaneMethods,
    ...simMethods,
    ...dataMethods,
    ...apnMethods,
    ...wifiMethods,
    ...vpnMethods,
    ...appMethods,
    ...userAssertions,
  ],
)

function policyText(main: string, techSupport: string): string {
  return `<main_policy>\n${main}\n</main_policy>\n<tech_support_policy>\n${techSupport}\n</tech_support_policy>`
}

function load(folder: string): DomainData<TelecomState> {
  const file = join(folder, 'db.toml')
  const records = freeze(constructFrom(telecomModel, readToml(folder, 'db.toml'), file))
  // Every table may be left out, so that a file cut off to nothing would do.
  if (records.lines.length === 0) {
    throw new UserError(`${file} is not a TelecomDB: it holds no lines; copy upstream's file again`)
  }
  const user = freeze(constructFrom(telecomUserModel, readToml(folder, 'user_db.toml'), join(folder, 'user_db.toml')))
  const manual = readText(folder, 'tech_support_manual.md')
  return {
    policy: policyText(readText(folder, 'main_policy.md'), manual),
    soloPolicy: policyText(readText(folder, 'main_policy_solo.md'), manual),
    open: () => ({
      db: new ModelDatabase(telecomModel, records),
      userDb: new ModelDatabase(telecomUserModel, user),
      vpn: vpnModel.of({ server_address: '192.168.1.1', protocol: 'OpenVPN', server_performance: 'excellent' }),
      newBillId: billIds(),
    }),
  }
}

/** τ²-bench's telephone company: an agent at its records, and a user who mends the phone with the agent's help. */
export const telecom: Domain<TelecomState> = { name: 'telecom', tools, userTools, load, sync: syncTelecom }
