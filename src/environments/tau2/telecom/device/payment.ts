import { str as text } from '../../python/number.ts'
import { userTool } from '../described.ts'
import { surroundingsOf } from '../state.ts'

export const paymentTools = [
  userTool('check_payment_request', 'read', (state) => {
    const request = surroundingsOf(state).payment_request
    if (request === null) return 'No payment request has been made.'
    return `You have a payment request for bill ${request.bill_id} of ${text(request.amount_due)} USD.`
  }),
  userTool('make_payment', 'write', (state) => {
    const request = surroundingsOf(state).payment_request
    if (request === null) return 'You do not have a payment request.'
    request.paid = true
    return `Payment of ${text(request.amount_due)} USD has been made for bill ${request.bill_id}.`
  }),
]
