export { conversationOf, messagesOf, type Recording } from './conversation.ts'
export * from './environment.ts'
export { type ImportedLogs, importLogs, type LogFile } from './logs.ts'
export type { ChatMessage, LoggedMessage } from './messages.ts'
