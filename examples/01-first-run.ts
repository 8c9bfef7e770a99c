/**
 * The quickstart as an experiment file:
 *
 *     npx rwml run examples/01-first-run.ts
 *
 * Small generated households, the shipped miniature, the whole method. What is not said here is the preset's; `--dry` shows
 * the plan, and `config.json` in the run folder every setting and whose it is.
 */
import { defineConfig } from 'rwml'

export default defineConfig({ preset: 'mini', method: 'rwml', settings: { seed: 0 } })
