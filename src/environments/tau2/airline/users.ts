import { field, int, str } from '../model.ts'
import { valueError } from '../python/errors.ts'
import { str as text } from '../python/number.ts'
import { type Tool, tool } from '../tool.ts'
import { Certificate, User } from './models.ts'
import { type AirlineState, userOf } from './state.ts'

/** Ids of new certificates: three a user, and the fourth is refused. */
const CERTIFICATE_IDS = ['certificate_3221322', 'certificate_3221323', 'certificate_3221324']

export const getUserDetails: Tool<AirlineState> = tool({
  name: 'get_user_details',
  kind: 'read',
  description: 'Get the details of a user, including their reservations.',
  parameters: { user_id: field(str, "The user ID, such as 'sara_doe_496'.") },
  returns: field(User, 'The user details.'),
  call: (state, userId) => userOf(state, userId),
})

export const sendCertificate: Tool<AirlineState> = tool({
  name: 'send_certificate',
  kind: 'write',
  description: 'Send a certificate to a user. Be careful!',
  parameters: {
    user_id: field(str, "The ID of the user to book the reservation, such as 'sara_doe_496'."),
    amount: field(int, 'The amount of the certificate to send.'),
  },
  returns: field(str, 'A message indicating the certificate was sent.'),
  call(state, userId, amount) {
    const owned = userOf(state, userId).payment_methods
    const id = CERTIFICATE_IDS.find((one) => !owned.has(one))
    if (id === undefined) throw valueError('Too many certificates')
    const certificate = Certificate.of({ source: 'certificate', id, amount })
    state.db.tables.users.edit(userId as string).payment_methods.set(id, certificate)
    // The text shows the amount as it was given, not as it was stored.
    return `Certificate ${id} added to user ${text(userId)} with amount ${text(amount)}.`
  },
})
