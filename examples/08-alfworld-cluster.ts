/**
 * The paper's ALFWorld run, on GPUs: Qwen2.5-7B-Instruct is trained and sampled by SkyRL, next states are compared by
 * Qwen3-Embedding-8B behind vLLM. How both are started: docs/cluster.md.
 *
 *     npx rwml doctor --engine examples/08-alfworld-cluster.ts
 *     npx rwml run examples/08-alfworld-cluster.ts --dry
 *     npx rwml run examples/08-alfworld-cluster.ts
 *
 * It has not been run: no such machine was at hand. What was run of it, and on what, says docs/cluster.md.
 */
import {
  collectStage,
  defineConfig,
  EmbeddingService,
  evaluateStage,
  filterStage,
  policyStage,
  rewardBy,
  tinkerEngine,
  worldModelStage,
} from 'rwml'

const { TINKER_BASE_URL = 'http://127.0.0.1:8000', EMBEDDINGS_URL = 'http://127.0.0.1:8001/v1' } = process.env

const embedder = new EmbeddingService(
  { url: EMBEDDINGS_URL, model: 'Qwen/Qwen3-Embedding-8B' },
  { cacheFolder: '.cache/qwen3-embedding-8b' },
)

export default defineConfig({
  preset: 'alfworld-qwen2.5-7b',
  engine: tinkerEngine({ url: TINKER_BASE_URL, server: 'skyrl-jax', model: 'Qwen/Qwen2.5-7B-Instruct' }),
  method: {
    name: 'rwml',
    stages: [collectStage, rewardBy({ embedder }), filterStage, worldModelStage(), policyStage(), evaluateStage()],
  },
  settings: {
    // SkyRL does not clip gradients.
    optimiser: { clipNorm: 0 },
    // The paper's rate is for all weights; an adapter wants about ten times as much.
    worldModel: { learningRate: 1e-5 },
    policy: { learningRate: 1e-5 },
  },
})
