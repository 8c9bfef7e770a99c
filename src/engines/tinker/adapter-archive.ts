/** Checkpoints as servers pack them, and as PEFT folders here. */
import { closeSync, openSync, writeSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { UserError } from '../../core/index.ts'
import { readJson, writeJson, writing } from '../../store/index.ts'
import { tarFiles } from './tar.ts'

/** What a PEFT folder needs; whatever else is packed stays there. */
const FILES = ['adapter_config.json', 'adapter_model.safetensors'] as const
const LONGEST_CONFIG = 2 ** 20
/** No adapter is larger, unpacked, in bytes. */
const LARGEST_ADAPTER = 32 * 2 ** 30

const configSchema = z.looseObject({ peft_type: z.literal('LORA'), r: z.int().min(1) })

/**
 * Unpack an adapter into an existing folder, with the folder of its base model noted. Nothing is written but the two files, under
 * their own names. @throws UserError where the archive is damaged, too large, holds none, or reaches out of its folder
 */
export async function unpackAdapter(
  archive: AsyncIterable<Uint8Array>,
  folder: string,
  base: string,
  where: string,
  mostBytes = LARGEST_ADAPTER,
): Promise<void> {
  const found = new Set<string>()
  for await (const { name, size, pieces } of tarFiles(archive, mostBytes, where)) {
    const parts = name.split(/[\\/]/)
    if (/^([\\/]|[A-Za-z]:)/.test(name) || parts.includes('..') || name.includes('\0')) {
      throw new UserError(`${where}: ${JSON.stringify(name)} reaches out of its folder: do not trust this server`)
    }
    const file = FILES.find((one) => one === parts.at(-1))
    if (!file) continue
    if (found.has(file)) throw new UserError(`${where} holds ${file} twice: it is no adapter`)
    if (file === FILES[0] && size > LONGEST_CONFIG) throw new UserError(`${where}: ${file} has ${size} bytes`)
    found.add(file)
    const path = join(folder, file)
    const handle = writing(path, () => openSync(path, 'wx'))
    try {
      for await (const piece of pieces) {
        for (let at = 0; at < piece.length; ) at += writing(path, () => writeSync(handle, piece, at), piece.length)
      }
    } finally {
      closeSync(handle)
    }
  }
  const missing = FILES.find((file) => !found.has(file))
  if (missing) throw new UserError(`${where} holds no ${missing}: it is no adapter`)
  const path = join(folder, FILES[0])
  writeJson(path, { ...readJson(path, configSchema), base_model_name_or_path: resolve(base) })
}
