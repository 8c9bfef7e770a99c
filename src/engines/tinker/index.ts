export { openTinkerEngine, type TinkerEngine } from './engine.ts'
export { TINKER_SERVERS, type TinkerSettings } from './settings.ts'
