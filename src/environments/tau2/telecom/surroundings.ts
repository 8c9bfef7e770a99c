import { method } from '../tool.ts'
import { surroundingsOf, type TelecomState } from './state.ts'

/** Who the user is and where: nothing checks the types of what is set, here as upstream. */
export const surroundingsMethods = [
  method<TelecomState>('set_user_info', ['name', 'phone_number'], (state, name, phoneNumber) => {
    const surroundings = surroundingsOf(state)
    surroundings.name = name as string
    surroundings.phone_number = phoneNumber as string
    return null
  }),
  method<TelecomState>('set_user_location', ['abroad'], (state, abroad) => {
    surroundingsOf(state).is_abroad = abroad as boolean
    return null
  }),
]
