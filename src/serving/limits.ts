/** What one server takes on. Times in milliseconds. */
export const LIMITS = {
  /** Bytes of a request's body. */
  body: 2 ** 20,
  /** Answers (prompts × n) of one request. */
  answers: 128,
  /** Answers being written or waiting, of all requests; beyond it a request is told to come back. */
  waiting: 512,
  /** Seconds after which it should. */
  retryAfter: 1,
  /** Stop strings of one request. */
  stops: 16,
  /** For the head of a request, and for all of it, to arrive. */
  headTime: 10_000,
  requestTime: 30_000,
  /** For an answer, from the request to its last token. */
  answerTime: 600_000,
  /** For open answers to be finished once the server is to end. */
  closingTime: 5_000,
} as const

/** What a server of rewards takes on. Times in milliseconds. */
export const REWARD_LIMITS = {
  /** Bytes of a request's body: a trainer sends whole batches. */
  body: 32 * 2 ** 20,
  /** Completions of one request. */
  completions: 8192,
  /** Characters of one text: what compares two of them takes time by the product of their lengths. */
  text: 2 ** 18,
  /** Requests that are being scored. */
  requests: 64,
  /** Seconds after which one that was told to come back should. */
  retryAfter: 1,
  /** For open requests to be finished once the server is to end. */
  closingTime: 5_000,
} as const
