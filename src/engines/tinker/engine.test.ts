import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { Trainer } from '../engine.ts'
import { engineContract } from '../testing/contract.ts'
import { writeBase } from './testing/base.ts'
import { FakeTinker } from './testing/fake-server.ts'
import { openFake } from './testing/open.ts'
import { unclipped } from './testing/unclipped.ts'

const folder = mkdtempSync(join(tmpdir(), 'tinker-'))
const base = await writeBase(folder)
const hosted = await FakeTinker.start({ base, reduction: 'sum' })
const faulting = await FakeTinker.start({ base, reduction: 'sum', wantsProtobuf: true, faultEvery: 4 })
const averaging = await FakeTinker.start({ base, reduction: 'mean', pending: '408' })
afterAll(async () => {
  await hosted.close()
  await faulting.close()
  await averaging.close()
  rmSync(folder, { recursive: true })
})

const open = async (fake: FakeTinker): Promise<Trainer> => (await openFake(fake, base, { codec: undefined })).trainer()
engineContract('Tinker engine, a server that sums', () => open(hosted), { tempered: false })
engineContract(
  'Tinker engine, a server that wants protobuf and of whose requests one of four goes wrong',
  () => open(faulting),
  {
    tempered: false,
  },
)
engineContract('Tinker engine, a server that averages', async () => unclipped(await open(averaging)), {
  tempered: false,
})
