import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { UserError } from '../core/index.ts'
import { keyIn } from '../services/index.ts'
import { writing } from '../store/index.ts'

/** What is asked of the Hugging Face hub. */
export interface Hub {
  /** Files at the top of a model's repository. */
  list(name: string): Promise<{ path: string; size: number }[]>
  /** A file's content; null where there is none. */
  fetch(name: string, path: string): Promise<Blob | null>
}

/** Finds the hub's client; replaced in tests. */
export type HubLoader = () => Promise<Hub>

export const loadHub: HubLoader = async () => {
  let hub: typeof import('@huggingface/hub')
  try {
    hub = await import('@huggingface/hub')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new UserError(
      'fetching from the Hugging Face hub needs an optional package: npm install @huggingface/hub, or download the files yourself and give their folder',
    )
  }
  // Only some models ask for one.
  const key = keyIn('HF_TOKEN')
  const token = key === null ? {} : { accessToken: key }
  return {
    async list(name) {
      const files = []
      for await (const { path, size } of hub.listFiles({ repo: name, ...token })) files.push({ path, size })
      return files
    },
    fetch: (name, path) => hub.downloadFile({ repo: name, path, ...token }),
  }
}

/** `owner/name`, as models are called on the hub. */
const HUB_NAME = /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*$/

export function isHubName(text: string): boolean {
  return HUB_NAME.test(text) && !text.endsWith('.gguf')
}

const NEEDED = ['config.json', 'tokenizer.json', 'tokenizer_config.json']
const WELCOME = ['chat_template.jinja', 'special_tokens_map.json', 'generation_config.json']
const WEIGHTS = /^model(-\d+-of-\d+)?\.safetensors(\.index\.json)?$/

/**
 * Fetch the files of a model that are needed into an existing folder.
 * @throws UserError where the hub cannot be reached or lacks one of them: which, and how to get it by hand.
 */
export async function downloadModel(
  name: string,
  folder: string,
  say: (line: string) => void,
  load: HubLoader = loadHub,
): Promise<void> {
  const hub = await load()
  const files = await hub.list(name).catch((error: unknown) => {
    throw unreachable(name, 'config.json', error)
  })
  for (const wanted of filesToFetch(name, files)) {
    say(`${wanted.path}  ${(wanted.size / 1e6).toFixed(1)} MB`)
    let written: number
    try {
      const blob = await hub.fetch(name, wanted.path)
      if (!blob) throw new Error('it is not there')
      written = await save(blob, join(folder, wanted.path))
    } catch (error) {
      throw error instanceof UserError ? error : unreachable(name, wanted.path, error)
    }
    if (written !== wanted.size) {
      throw unreachable(name, wanted.path, new Error(`only ${written} of ${wanted.size} bytes arrived`))
    }
  }
}

function filesToFetch(name: string, files: { path: string; size: number }[]): { path: string; size: number }[] {
  const weights = files.filter(({ path }) => WEIGHTS.test(path))
  // One file where there is one; the parts are then another copy.
  const single = weights.filter(({ path }) => path === 'model.safetensors')
  const missing = NEEDED.find((needed) => !files.some(({ path }) => path === needed))
  const quantised = files.find(({ path }) => path.endsWith('.gguf'))?.path
  if (weights.length === 0 || missing) {
    const remedy = quantised
      ? `it holds GGUF files: download one, say ${quantised} (${pageOf(name)}), and import that file`
      : 'take a model in safetensors format with its tokenizer.json'
    throw new UserError(`${name} on the Hugging Face hub has no ${missing ?? 'model.safetensors'}: ${remedy}`)
  }
  const chosen = single.length > 0 ? single : weights
  return [...files.filter(({ path }) => NEEDED.includes(path) || WELCOME.includes(path)), ...chosen]
}

function pageOf(name: string): string {
  return `https://huggingface.co/${name}/tree/main`
}

function unreachable(name: string, path: string, error: unknown): UserError {
  const { message, cause } = error as Error
  const reason = (cause instanceof Error ? cause.message : message) || String(error)
  return new UserError(
    `cannot fetch ${path} of ${name} from the Hugging Face hub (${reason}): download ${NEEDED.join(', ')} and model.safetensors (or its parts and their index) by hand from ${pageOf(name)}, and import their folder; a gated model wants your token in HF_TOKEN`,
  )
}

/** Piece by piece: weights may be larger than what one buffer holds. */
async function save(blob: Blob, path: string): Promise<number> {
  const file = writing(path, () => openSync(path, 'w'))
  let written = 0
  try {
    for await (const piece of blob.stream()) {
      for (let at = 0; at < piece.length; ) at += writing(path, () => writeSync(file, piece, at), blob.size)
      written += piece.length
    }
    return written
  } finally {
    closeSync(file)
  }
}
