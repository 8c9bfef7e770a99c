import { afterEach } from 'vitest'
import { ChatService, type ChatServiceOptions } from '../chat-service.ts'
import type { ServiceSettings } from '../config.ts'
import { ChatServer, type Script } from './chat-server.ts'

const open: { close(): Promise<void> }[] = []

/** Ends what a test started, also where it failed. */
export function closeAfterEach(): void {
  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close()
  })
}

export async function serverFor(script: Script): Promise<ChatServer> {
  const server = await ChatServer.start(script)
  open.push(server)
  return server
}

/** Retries come quickly, deadlines are far. */
export function serviceAt(
  url: string,
  settings: Partial<ServiceSettings> = {},
  options: ChatServiceOptions = {},
): ChatService {
  const service = new ChatService({ url, model: 'm', backoffSeconds: 0.01, ...settings }, options)
  open.push(service)
  return service
}
