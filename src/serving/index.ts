export { type RunningServer, type ServeOptions, startServer } from './server.ts'
