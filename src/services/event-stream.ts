/** Server-sent events as chat services stream them: what follows `data:`, event by event. */

/**
 * The data of the events that each piece of a stream completes. Names, comments and numbers of events are passed over, as is an
 * event that the stream's end cuts off. Every byte is looked at once, however many events come together.
 */
export async function* eventData(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder()
  /** Pieces of a line that has not ended. */
  let begun: string[] = []
  /** Lines of an event that has not ended. */
  let data: string[] = []
  for await (const bytes of stream) {
    const text = decoder.decode(bytes, { stream: true })
    begun.push(text)
    if (!/[\r\n]/.test(text)) continue
    // A carriage return at the very end may be the first half of a line break.
    const lines = begun.join('').split(/\r\n|\n|\r(?!$)/)
    begun = [lines.pop() ?? '']
    const events: string[] = []
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5))
      else if (line === '' && data.length > 0) {
        events.push(data.join('\n'))
        data = []
      }
    }
    if (events.length > 0) yield events
  }
}
