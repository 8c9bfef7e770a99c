/** Writes into the folder named on its command line, in all the ways there are, as fast as it can, until it is killed. */
import { join } from 'node:path'
import { z } from 'zod'
import { removeFolderAtomic, writeFileAtomic, writeFolderAtomic } from '../atomic.ts'
import { JsonLines } from '../jsonl.ts'

const folder = process.argv[2]
/** Long enough that somebody can see a write half-done. */
const padding = 'x'.repeat(8 * 2 ** 20)
const lines = new JsonLines(join(folder, 'lines.jsonl'), z.object({ n: z.number(), padding: z.string() }))

const first = lines.length
for (let n = first; ; n++) {
  const text = JSON.stringify({ n, again: n })
  lines.append([{ n, padding: padding.slice(0, 20_000) }])
  writeFileAtomic(join(folder, 'file.json'), JSON.stringify({ n, padding, again: n }))
  await writeFolderAtomic(join(folder, `part-${n}`), (at) => {
    writeFileAtomic(join(at, 'a'), text)
    writeFileAtomic(join(at, 'b'), text)
  })
  removeFolderAtomic(join(folder, `part-${n - 2}`))
  if (n === first) console.log('ready')
}
