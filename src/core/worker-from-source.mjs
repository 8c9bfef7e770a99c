// Starts a worker's file where the TypeScript sources run directly. A worker thread does not inherit the loader of its parent,
// and a loader named on its command line comes too late for its first file; so that file is plain JavaScript.
import { workerData } from 'node:worker_threads'
import { register } from 'tsx/esm/api'

register()
await import(workerData)
