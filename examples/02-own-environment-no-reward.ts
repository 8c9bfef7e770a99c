/**
 * The same room without any task reward: the model plays, learns what its actions do, and that is all.
 *
 *     npx rwml run examples/02-own-environment-no-reward.ts
 */
import { defineConfig } from 'rwml'
import { jammedRoom, small } from './02-own-environment.ts'

export default defineConfig({ environment: jammedRoom({ reward: false }), settings: small })
