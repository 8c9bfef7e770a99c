export * from './chat.ts'
export * from './chat-service.ts'
export { type ServiceConfig, type ServiceSettings, serviceSchema } from './config.ts'
export { isConversationFailure } from './conversation-failure.ts'
export type { ServiceCounters } from './counters.ts'
export { type Failure, type FailureKind, ServiceError } from './errors.ts'
export {
  conversationUsage,
  costOf,
  costText,
  type ExpectedConversation,
  type Prices,
  pricesSchema,
} from './prices.ts'
export { Spending } from './spending.ts'
