import { MAIN_THRESHOLD, type Moved, WEIGHT_MODULES, type WeightChange } from '../evaluation/index.ts'
import { heatMap } from './charts/heatMap.ts'
import type { Markup } from './markup.ts'

/** What a map shows of some weights: the share that moved by our threshold, or ‖Δw‖ / ‖w‖. */
export type MapOf = 'moved' | 'norm'

const VALUES: Record<MapOf, (moved: Moved) => number> = {
  moved: ({ moved }) => moved[MAIN_THRESHOLD],
  norm: ({ relativeNorm }) => relativeNorm ?? 0,
}

export const MAP_TITLES: Record<MapOf, string> = {
  moved: 'Share of weights with |Δw| > 0.001·|w|',
  norm: '‖Δw‖ / ‖w‖',
}

/** The largest value on maps of these changes: maps side by side share one scale. */
export function highestOf(changes: readonly WeightChange[], of: MapOf): number {
  const values = changes.flatMap(({ cells, modules }) => [...cells, ...modules].map(VALUES[of]))
  return values.reduce((most, value) => Math.max(most, value), 1e-4)
}

/** One change by module, down, and layer, across. */
export function weightMap(change: WeightChange, of: MapOf, width: number, high = highestOf([change], of)): Markup {
  const { layers, cells, modules, all } = change
  const value = VALUES[of]
  const across = layers.map((_, layer) => layer)
  const rows = WEIGHT_MODULES.flatMap((module) => {
    const whole = modules.find((one) => one.module === module)
    if (!whole) return []
    const values = across.map((layer) => {
      const found = cells.find((cell) => cell.layer === layer && cell.module === module)
      return found ? value(found) : null
    })
    return [{ name: module, values, all: value(whole) }]
  })
  return heatMap({
    label: `${MAP_TITLES[of]} by module and layer`,
    width,
    across: 'layers',
    columns: across.map(String),
    rows: [...rows, { name: 'all', values: layers.map(value), all: value(all) }],
    high,
  })
}
