import { describe, expect, it } from 'vitest'
import type { Tool } from '../../../core/index.ts'
import type { Message, Spoken } from '../protocol/message.ts'
import { GREETING, OUT_OF_SCOPE, STOP, TRANSFER } from '../protocol/protocol.ts'
import type { Scenario } from '../tasks.ts'
import { factsOf, firstPerson } from './facts.ts'
import { wantedOf } from './phone.ts'
import { scriptedUser } from './scripted.ts'
import type { UserSession } from './user.ts'

const shop: Scenario = {
  persona: null,
  instructions: {
    domain: 'retail',
    reasonForCall: 'You want to return your kettle. If the agent asks why, say nothing.',
    knownInfo: 'You are Ada Poe in zip code 12345.\nYour order is #W1234567.',
    unknownInfo: 'You do not remember your email address.',
    taskInstructions: 'You are brief. You want the refund on your gift card. If it fails, you get angry.',
  },
}
const phone: Scenario = {
  persona: null,
  instructions: {
    domain: 'telecom',
    reasonForCall: 'You mobile data is not working.',
    knownInfo: 'You are Ada Poe with phone number 555-000-1111.',
    unknownInfo: null,
    taskInstructions: 'You consider it resolved when the speed test is excellent.',
  },
}
const TOOLS = [
  'check_status_bar',
  'check_network_status',
  'run_speed_test',
  'toggle_airplane_mode',
  'toggle_data',
  'toggle_data_saver_mode',
  'check_data_restriction_status',
  'toggle_roaming',
  'toggle_wifi',
  'check_wifi_status',
  'toggle_wifi_calling',
  'check_wifi_calling_status',
  'set_network_mode_preference',
  'check_network_mode_preference',
  'grant_app_permission',
  'check_app_permissions',
  'reseat_sim_card',
  'check_sim_status',
  'reset_apn_settings',
  'check_apn_settings',
  'disconnect_vpn',
  'check_vpn_status',
  'reboot_device',
  'can_send_mms',
  'check_payment_request',
  'make_payment',
]

/** A conversation in which only the agent's words are given. */
class Talk {
  readonly heard: Message[] = [{ role: 'assistant', content: GREETING, calls: [] }]
  private readonly user: UserSession
  constructor(scenario: Scenario, tools: Tool[] | null = null) {
    this.user = scriptedUser.open({ scenario, tools, seed: 0 })
  }
  next(): Spoken {
    const spoken = this.user.speak(this.heard) as Spoken
    this.heard.push({ role: 'user', ...spoken })
    return spoken
  }
  agent(content: string): string {
    this.heard.push({ role: 'assistant', content, calls: [] })
    return this.next().content ?? ''
  }
  answer(content: string): Spoken {
    const { calls } = this.heard.at(-1) as Spoken
    this.heard.push({ role: 'tool', requestor: 'user', id: calls[0].id, name: calls[0].name, content, error: false })
    return this.next()
  }
}

describe('facts', () => {
  it('are told in the first person', () => {
    expect(firstPerson('You are Ann. Your user id is ann_1. They told you that you were late.')).toBe(
      'I am Ann. My user id is ann_1. They told me that I was late.',
    )
    expect(firstPerson('You name is Ann.')).toBe('My name is Ann.')
  })

  it('are sorted, without stage directions', () => {
    expect(factsOf(shop)).toEqual({
      reason: ['I want to return my kettle.'],
      known: ['I am Ada Poe in zip code 12345.', 'My order is #W1234567.'],
      unknown: ['I do not remember my email address.'],
      wishes: ['I want the refund on my gift card.'],
    })
  })
})

describe('the scripted user', () => {
  it('tells what it is asked for, agrees, and ends', () => {
    const talk = new Talk(shop)
    expect(talk.next().content).toBe('Hi. I want to return my kettle.')
    expect(talk.agent('What is your email?')).toBe('I do not remember my email address.')
    expect(talk.agent('Your name and zip code, please.')).toBe('I am Ada Poe in zip code 12345.')
    expect(talk.agent('Which order is it?')).toBe('My order is #W1234567. I want to return my kettle.'.slice(0, 22))
    expect(talk.agent('You get 3 dollars back. Do you want to proceed? (yes/no)')).toBe('Yes, please go ahead.')
    expect(talk.agent('Done. Anything else?')).toBe('Yes. I want the refund on my gift card.')
    expect(talk.agent('Is there anything else I can help you with?')).toContain(STOP)
  })

  it('leaves when it is transferred, and when it has nothing more to say', () => {
    const talk = new Talk(shop)
    talk.next()
    expect(talk.agent('YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON.')).toBe(TRANSFER)
    const stuck = new Talk(shop)
    stuck.next()
    const answers = Array.from({ length: 10 }, () => stuck.agent('Let me look.'))
    expect(answers.slice(0, 4)).toEqual([
      'I am Ada Poe in zip code 12345.',
      'My order is #W1234567.',
      'I want the refund on my gift card.',
      'All right.',
    ])
    expect(answers.indexOf(OUT_OF_SCOPE)).toBe(9)
  })

  it('does with its tools what it is asked to, and tells what it saw', () => {
    const talk = new Talk(
      phone,
      TOOLS.map((name) => ({ name })),
    )
    expect(talk.next().content).toBe('Hi. My mobile data is not working.')
    talk.agent('Please turn airplane mode off, then restart your phone.')
    expect((talk.heard.at(-1) as Spoken).calls).toEqual([
      { id: 'user-0', name: 'check_network_status', arguments: '{}' },
    ])
    expect(talk.answer('Airplane Mode: ON').calls[0].name).toBe('toggle_airplane_mode')
    expect(talk.answer('Airplane Mode is now OFF.').calls[0].name).toBe('reboot_device')
    expect(talk.answer('Restarting.').content).toMatch(/^I did that\. .*Airplane Mode is now OFF\.\nRestarting\.$/s)
    expect(talk.agent('Anything else?')).toBe('')
    expect((talk.heard.at(-1) as Spoken).calls[0].name).toBe('run_speed_test')
    expect(talk.answer('Very Poor').content).toBe('It still does not work. Very Poor')
    talk.agent('Is there anything else?')
    expect(talk.answer('Excellent').content).toContain(STOP)
  })
})

describe('what an agent asks of a phone', () => {
  it.each([
    ['Please toggle airplane mode.', ['toggle_airplane_mode']],
    ['Please toggle data saver mode.', ['toggle_data_saver_mode']],
    ['Please toggle data.', ['toggle_data']],
    ['Please toggle wifi calling.', ['toggle_wifi_calling']],
    ['Could you run a speed test?', ['run_speed_test']],
    [
      'Please set network mode preference: mode 4g_5g_preferred.',
      ['set_network_mode_preference {"mode":"4g_5g_preferred"}'],
    ],
    [
      'Please grant app permission: app name messaging, permission storage.',
      ['grant_app_permission {"app_name":"messaging","permission":"storage"}'],
    ],
    [
      'Please allow the SMS and storage permissions for the messaging app on your phone.',
      [
        'grant_app_permission {"app_name":"messaging","permission":"sms"}',
        'grant_app_permission {"app_name":"messaging","permission":"storage"}',
      ],
    ],
    ['What does your status bar show?', ['check_status_bar']],
    ['I have enabled roaming on your line.', []],
    ['Can you remove and re-insert the SIM card?', ['reseat_sim_card']],
    ['Please reset apn settings.\nPlease reboot device.', ['reset_apn_settings', 'reboot_device']],
    ['Is Wi-Fi calling on?', ['check_wifi_calling_status']],
    ['Please check the payment request. Then please make the payment.', ['check_payment_request', 'make_payment']],
    ['Your order will be sent to you.', []],
  ])('%s', (message, expected) => {
    const told = wantedOf(message, TOOLS).map(({ tool, args }) =>
      Object.keys(args).length > 0 ? `${tool} ${JSON.stringify(args)}` : tool,
    )
    expect(told).toEqual(expected)
  })
})
