/** What all of them give. Where one fails the others end first: what is asked of a service is on the bill. @throws what failed first */
export async function allEnded<T>(works: readonly Promise<T>[]): Promise<T[]> {
  try {
    return await Promise.all(works)
  } finally {
    await Promise.allSettled(works)
  }
}

/**
 * `work` on each item, so many at once, in order. After the first failure, or once `signal` is aborted, no new one begins, and those
 * under way are told by `stopped`.
 * @throws what failed first, once all have ended
 */
export async function someAtOnce<T>(
  items: readonly T[],
  concurrency: number,
  signal: AbortSignal | undefined,
  work: (item: T, index: number, stopped: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController()
  const stopped = AbortSignal.any([stop.signal, ...(signal ? [signal] : [])])
  let next = 0
  const worker = async () => {
    try {
      while (next < items.length) {
        stopped.throwIfAborted()
        const at = next++
        await work(items[at], at, stopped)
      }
    } catch (error) {
      stop.abort(error)
      throw error
    }
  }
  await allEnded(Array.from({ length: Math.min(concurrency, items.length) }, worker))
}
