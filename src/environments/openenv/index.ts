export { type OpenEnvOptions, type OpenEnvTask, openEnvEnvironment } from './openenv.ts'
export type { OpenEnvView } from './text.ts'
