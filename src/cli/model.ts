import { existsSync, statSync } from 'node:fs'
import { Command, Option } from 'commander'
import { gigabytes, UserError } from '../core/index.ts'
import {
  convertModel,
  type HubLoader,
  type Inspection,
  importFromHub,
  inspectModel,
  isHubName,
  type WrittenModel,
} from '../models/index.ts'
import type { FloatType } from '../store/index.ts'
import { compareCommand } from './model-compare.ts'
import { pathName, refuseExisting, TRAINED_FOLDER, trainedFolder } from './paths.ts'
import { textTable } from './table.ts'

const DTYPES: Record<string, FloatType> = { f32: 'F32', f16: 'F16', bf16: 'BF16' }

/** `rwml model inspect|import|export|compare`. `hub` finds the client of the Hugging Face hub; another one in tests. */
export function modelCommand(hub?: HubLoader): Command {
  const command = new Command('model').description('models: look at one, bring one in, give one out, compare two')
  command.addCommand(inspectCommand())
  command.addCommand(importCommand(hub))
  command.addCommand(exportCommand())
  command.addCommand(compareCommand())
  return command
}

function inspectCommand(): Command {
  return new Command('inspect')
    .description('what a model is, how it writes conversations, and what it takes here')
    .argument('<path>', 'a Hugging Face folder, a GGUF file, a checkpoint or a run folder', pathName)
    .option('--json', 'print everything as one JSON object on the last line', false)
    .addHelpText(
      'after',
      `
Examples:
  rwml model inspect models/mini
  rwml model inspect SmolLM2-135M-Instruct.Q4_1.gguf`,
    )
    .action((path: string, { json }: { json: boolean }) => {
      const found = inspectModel(isFile(path) ? path : trainedFolder(path))
      console.log(tableOf(found))
      if (found.example !== null) console.log(`\nTwo turns as its template writes them:\n${indented(found.example)}`)
      for (const warning of found.warnings) console.log(`\nNote: ${warning}.`)
      if (json) console.log(JSON.stringify(found))
    })
}

function importCommand(hub: HubLoader | undefined): Command {
  return new Command('import')
    .description('a pretrained model as a folder to sample from and train')
    .argument('<source>', 'a GGUF file, a Hugging Face folder, or a name on the hub (owner/name)', pathName)
    .requiredOption('--out <dir>', 'folder to make', pathName)
    .option('--json', 'print what was written as one JSON object on the last line', false)
    .addHelpText(
      'after',
      `
Llama, SmolLM2, Qwen2.5 and Qwen3 models; quantised weights become f32, others stay as they are (docs/models.md).

Examples:
  rwml model import HuggingFaceTB/SmolLM2-135M-Instruct --out models/smollm2
  rwml model import SmolLM2-135M-Instruct.Q4_1.gguf --out models/smollm2`,
    )
    .action(async (source: string, { out, json }: { out: string; json: boolean }) => {
      refuseExisting(out)
      const written = existsSync(source)
        ? await convertModel(isFile(source) ? source : trainedFolder(source), out)
        : await importFromHub(hubName(source), out, (line) => console.error(line), hub)
      report(written, json, `In an experiment: settings: { model: { path: ${JSON.stringify(out)} } }`)
    })
}

function exportCommand(): Command {
  return new Command('export')
    .description('a model or checkpoint as a folder that transformers and other programs load')
    .argument('<folder>', TRAINED_FOLDER, pathName)
    .requiredOption('--out <dir>', 'folder to make', pathName)
    .addOption(new Option('--dtype <type>', 'how to store weights (default: as they are)').choices(Object.keys(DTYPES)))
    .option('--json', 'print what was written as one JSON object on the last line', false)
    .addHelpText(
      'after',
      `
Examples:
  rwml model export runs/quickstart --out trained --dtype bf16
  rwml model export runs/quickstart/checkpoints/policy-rl-40 --out trained`,
    )
    .action(async (folder: string, { out, dtype, json }: { out: string; dtype?: string; json: boolean }) => {
      refuseExisting(out)
      const written = await convertModel(trainedFolder(folder), out, dtype === undefined ? undefined : DTYPES[dtype])
      report(written, json, `In Python: AutoModelForCausalLM.from_pretrained(${JSON.stringify(out)})`)
    })
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile()
}

function hubName(source: string): string {
  if (isHubName(source)) {
    console.error(`${source} is no folder here: asking the Hugging Face hub.`)
    return source
  }
  throw new UserError(`${source} is missing: give a GGUF file, a model folder, or a name on the hub (owner/name)`)
}

/** What was written, what to do with it, and the same for programs on the last line. */
function report(written: WrittenModel, json: boolean, next: string): void {
  const { out, architecture, parameters, dtype, contextLength } = written
  console.log(
    `Written to ${out}: ${architecture}, ${parameters.toLocaleString('en')} parameters as ${dtype}, context ${contextLength}.`,
  )
  if (!written.chatTemplate)
    console.log('It has no chat template: a base model; add chat_template.jinja to talk to it.')
  console.log(next)
  if (json) console.log(JSON.stringify(written))
}

function tableOf(found: Inspection): string {
  const { heads, rope, tokenizer, memory } = found
  const stored = Object.entries(found.stored).map(
    ([type, { tensors, bytes }]) => `${type}: ${tensors} tensors, ${megabytes(bytes)}`,
  )
  const special = Object.entries({ begin: tokenizer.bos, end: tokenizer.eos, 'end of turn': tokenizer.turnEnd })
    .filter(([, token]) => token !== null)
    .map(([name, token]) => `${name} ${token}`)
  const rows = [
    ['format', found.format],
    ['architecture', found.architecture],
    ['parameters', found.parameters.toLocaleString('en')],
    ['layers', `${found.layers} of width ${found.width}`],
    ['heads', `${heads.queries} of width ${heads.width}, ${heads.keys} for keys and values`],
    ['context', `${found.contextLength} tokens`],
    ['rotary embeddings', `${rope.type}, base ${rope.base}${rope.factor === null ? '' : `, factor ${rope.factor}`}`],
    ['embedding', `${found.rows} rows, ${found.tiedHead ? 'also the head' : 'head of its own'}`],
    ['stored as', stored.join('; ')],
    ['tokenizer', `${tokenizer.tokens} tokens`],
    ['special tokens', special.join(', ') || 'none'],
    ['chat template', found.example === null ? 'no' : 'yes'],
    ['tool calls', found.toolCalls ? 'by its template' : 'as text'],
    ['memory to sample', `about ${gigabytes(memory.sample)}`],
    [
      'memory to train',
      `about ${gigabytes(memory.train)} (all weights, f32), ${gigabytes(memory.adapter)} (an adapter)`,
    ],
  ]
  return textTable({ columns: [{ header: found.path }, { header: '' }], rows })
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`
}

function indented(text: string): string {
  return text.replace(/^/gm, '  ')
}
