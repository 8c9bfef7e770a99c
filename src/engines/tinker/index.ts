export { type TinkerOptions, tinkerEngine } from './choice.ts'
export { openTinkerEngine } from './engine.ts'
export { TINKER_SERVERS, type TinkerSettings } from './settings.ts'
