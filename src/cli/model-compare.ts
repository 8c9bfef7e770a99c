import { Command } from 'commander'
import { MAIN_THRESHOLD, type Moved, type WeightChange, weightChange } from '../evaluation/index.ts'
import { MAP_TITLES, standaloneDrawing, weightMap } from '../reports/index.ts'
import { writeFileAtomic } from '../store/index.ts'
import { pathName, TRAINED_FOLDER, trainedFolder } from './paths.ts'
import { textTable } from './table.ts'

/** Of a drawing, in pixels. */
const WIDTH = 880

/** `rwml model compare BEFORE AFTER`: which weights training moved, and how far. */
export function compareCommand(): Command {
  return new Command('compare')
    .description('how far training moved the weights, by layer and module')
    .argument('<before>', TRAINED_FOLDER, pathName)
    .argument('<after>', 'the same, trained from it', pathName)
    .option('--svg <file>', 'draw it there', pathName)
    .option('--json', 'print everything as one JSON object on the last line', false)
    .addHelpText(
      'after',
      `
A weight w has moved by a threshold t where it changed by more than t·|w|; adapters are added to their bases.

Examples:
  rwml model compare models/mini runs/quickstart/checkpoints/world-model-rl-100
  rwml model compare models/mini runs/quickstart --svg moved.svg`,
    )
    .action((before: string, after: string, { svg, json }: { svg?: string; json: boolean }) => {
      const change = weightChange(trainedFolder(before), trainedFolder(after))
      console.log(layersTable(change))
      console.log(`\n${thresholdsTable(change)}`)
      if (svg !== undefined) {
        const maps = (['moved', 'norm'] as const).map((of) => ({
          title: MAP_TITLES[of],
          drawing: weightMap(change, of, WIDTH),
        }))
        writeFileAtomic(svg, standaloneDrawing(`${before} to ${after}`, maps))
        console.log(`\nDrawn in ${svg}.`)
      }
      if (json) console.log(JSON.stringify(change))
    })
}

const percent = (share: number) => `${(100 * share).toFixed(1)}%`

function layersTable({ layers, cells, modules, all }: WeightChange): string {
  const share = ({ moved }: Moved) => percent(moved[MAIN_THRESHOLD])
  const rows = layers.map((whole, layer) => [
    String(layer),
    ...modules.map(({ module }) => {
      const found = cells.find((cell) => cell.layer === layer && cell.module === module)
      return found ? share(found) : ''
    }),
    share(whole),
  ])
  return textTable({
    columns: ['moved, layer', ...modules.map(({ module }) => module), 'all'].map((header) => ({
      header,
      align: 'right' as const,
    })),
    rows: [...rows, ['all', ...modules.map(share), share(all)]],
  })
}

function thresholdsTable({ thresholds, modules, all }: WeightChange): string {
  const rows = [...modules.map(({ module, ...moved }) => [module, moved] as const), ['all', all] as const]
  return textTable({
    columns: [
      { header: 'moved by more than' },
      ...thresholds.map((threshold) => ({ header: `${threshold}·|w|`, align: 'right' as const })),
      { header: '‖Δw‖/‖w‖', align: 'right' },
      { header: 'largest', align: 'right' },
      { header: 'weights', align: 'right' },
    ],
    rows: rows.map(([name, { moved, relativeNorm, largest, weights }]) => [
      name,
      ...moved.map(percent),
      relativeNorm === null ? '–' : relativeNorm.toExponential(2),
      largest.toExponential(2),
      weights.toLocaleString('en'),
    ]),
  })
}
