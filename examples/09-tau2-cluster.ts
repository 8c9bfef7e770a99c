/**
 * The paper's τ²-bench run, on GPUs: Qwen3-8B is trained and sampled by SkyRL; vLLM serves the users (two models, three attempts of
 * six each) and Qwen3-Embedding-8B. How they are started: docs/cluster.md.
 *
 *     export TAU2_DATA_DIR=tau2-bench/data/tau2
 *     npx rwml doctor --engine examples/09-tau2-cluster.ts
 *     npx rwml run examples/09-tau2-cluster.ts --dry
 *     npx rwml run examples/09-tau2-cluster.ts
 *
 * It has not been run: no such machine was at hand. What was run of it, and on what, says docs/cluster.md.
 */
import {
  ChatService,
  collectStage,
  defineConfig,
  EmbeddingService,
  evaluateStage,
  filterStage,
  policyStage,
  rewardBy,
  tau2Environment,
  tinkerEngine,
  worldModelStage,
} from 'rwml'

const {
  TINKER_BASE_URL = 'http://127.0.0.1:8000',
  EMBEDDINGS_URL = 'http://127.0.0.1:8001/v1',
  USERS_URL = 'http://127.0.0.1:8002/v1',
  OTHER_USERS_URL = USERS_URL,
} = process.env

const user = (url: string, model: string) => ({
  user: new ChatService({ url, model }, { cacheFolder: '.cache/tau2-users' }),
  weight: 1,
})
const environment = tau2Environment({
  users: [
    user(USERS_URL, 'Qwen/Qwen3-235B-A22B-Instruct-2507'),
    // The paper has GPT-4.1 here; any other model keeps users from being all alike.
    user(OTHER_USERS_URL, process.env.OTHER_USER_MODEL ?? 'Qwen/Qwen3-235B-A22B-Instruct-2507'),
  ],
})

const embedder = new EmbeddingService(
  { url: EMBEDDINGS_URL, model: 'Qwen/Qwen3-Embedding-8B' },
  { cacheFolder: '.cache/qwen3-embedding-8b' },
)

export default defineConfig({
  preset: 'tau2-qwen3-8b',
  environment,
  engine: tinkerEngine({ url: TINKER_BASE_URL, server: 'skyrl-jax', model: 'Qwen/Qwen3-8B' }),
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
