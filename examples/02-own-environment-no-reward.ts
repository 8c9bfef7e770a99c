/**
 * The same room without any task reward: the model plays, learns what its actions do, and that is all.
 *
 *     npx rwml run examples/02-own-environment-no-reward.ts
 */
import { defineConfig } from 'rwml'
import { gluedRoom, small } from './02-own-environment.ts'

export default defineConfig({ environment: gluedRoom({ reward: false }), settings: small })
