export * from './convert.ts'
export { type Hub, type HubLoader, isHubName } from './hub.ts'
export * from './inspect.ts'
