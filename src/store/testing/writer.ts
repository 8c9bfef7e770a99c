/** Writes into the folder named on its command line, in all the ways there are, as fast as it can, until it is killed. */
import { join } from 'node:path'
import { z } from 'zod'
import { removeFolderAtomic, writeFileAtomic, writeFolderAtomic } from '../atomic.ts'
import { JsonLines } from '../jsonl.ts'

const folder = process.argv[2]
/** Long enough that a write takes a while. */
const padding = 'x'.repeat(300_000)
const lines = new JsonLines(join(folder, 'lines.jsonl'), z.object({ n: z.number(), padding: z.string() }))

console.log('ready')
for (let n = lines.length; ; n++) {
  const text = JSON.stringify({ n, padding, again: n })
  lines.append([{ n, padding: padding.slice(0, 20_000) }])
  writeFileAtomic(join(folder, 'file.json'), text)
  await writeFolderAtomic(join(folder, `part-${n}`), (at) => {
    writeFileAtomic(join(at, 'a'), text)
    writeFileAtomic(join(at, 'b'), text)
  })
  removeFolderAtomic(join(folder, `part-${n - 2}`))
}
