import { z } from 'zod'

/** What a client sends over the WebSocket, one answer to each but `close`. */
export type Request =
  | { type: 'reset'; data: Record<string, unknown> }
  | { type: 'step'; data: Record<string, unknown> }
  | { type: 'close' }

const observationFrame = z.object({
  type: z.literal('observation'),
  data: z.object({
    observation: z.record(z.string(), z.unknown()),
    /** Of the last action alone. */
    reward: z.union([z.number(), z.boolean().transform(Number)]).nullish(),
    done: z.boolean().default(false),
  }),
})

/** One thing that is wrong with an action, as pydantic says it. */
const faultSchema = z.object({
  type: z.string(),
  loc: z.array(z.union([z.string(), z.number()])),
  msg: z.string(),
})

const errorFrame = z.object({
  type: z.literal('error'),
  data: z.object({
    message: z.string().default('it does not say why'),
    code: z.string().default('UNKNOWN'),
    /** With `VALIDATION_ERROR`. */
    errors: z.array(faultSchema).optional(),
    /** With `CAPACITY_REACHED`. */
    max_sessions: z.int().optional(),
  }),
})

const frameSchema = z.discriminatedUnion('type', [observationFrame, errorFrame])

export type Frame = z.output<typeof frameSchema>
/** What follows a reset or a step. */
export type Answer = z.output<typeof observationFrame>['data']
/** The server's own account of why there is no such answer. */
export type ServerError = z.output<typeof errorFrame>['data']

/** What a server sent; what is wrong with it where it is no frame of the protocol. */
export function parseFrame(text: string): z.ZodSafeParseResult<Frame> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  return frameSchema.safeParse(value)
}
