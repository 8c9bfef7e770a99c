/**
 * Public API: `import { … } from 'rwml'`. Everything an experiment, an environment, an agent, a reward or a method of one's own
 * needs; listed by purpose in docs/api.md.
 */

// Agents: prompts and parsers.
export {
  type Agent,
  alfworldTranscript,
  alfworldWindow,
  goldPlayer,
  type JsonShape,
  jsonShape,
  type ParsedAction,
  type Player,
  type PredictionAnswer,
  parsePolicyAnswer,
  parsePrediction,
  parseToolReply,
  randomPlayer,
  type Tau2AgentOptions,
  type ToolsOptions,
  type ToolsTranscriptOptions,
  type TranscriptOptions,
  tau2Agent,
  tau2Player,
  tau2SmallAgent,
  textPlayer,
  toolsAgent,
  toolsTranscriptAgent,
  transcriptAgent,
  type View,
  type WindowOptions,
  windowAgent,
} from './agents/index.ts'
// Environments: what they are made of, ALFWorld, and logs that were recorded elsewhere.
// Chance that depends on coordinates alone, and failures that are one line.
export {
  type Action,
  actionText,
  hash32,
  type Observation,
  observationText,
  type PastTurn,
  Random,
  type Task,
  type TokenSequence,
  type Tool,
  type ToolCall,
  type ToolResult,
  type Trajectory,
  type Transition,
  type Turn,
  transitionsOf,
  UserError,
} from './core/index.ts'
// Rewards of the world model.
export { cosineDistance, type Embedder, LexicalEmbedder, loadUseLite } from './embedders/index.ts'
// Models: tokens in, tokens out.
export {
  type AdamParams,
  type Datum,
  type EngineOptions,
  type ForwardBackwardResult,
  type LocalEngine,
  type Loss,
  openLocalEngine,
  type Sample,
  type Sampler,
  type SamplingParams,
  type Trainer,
} from './engines/index.ts'
export {
  type AlfworldEnvironment,
  type AlfworldOptions,
  alfworldEnvironment,
  type ChatMessage,
  conversationOf,
  type Environment,
  type Episode,
  type GenerateOptions,
  importLogs,
  isTau2,
  type LoggedMessage,
  messagesOf,
  modelJudge,
  type NlJudge,
  type OpenOptions,
  type Recording,
  recordedEnvironment,
  type StateText,
  type StateVariants,
  type StepResult,
  type Tau2Environment,
  type Tau2Gold,
  type Tau2Options,
  type Tau2User,
  tau2Environment,
} from './environments/index.ts'
// One step of learning, and what is measured.
export {
  type ArmCost,
  answerSequence,
  armCosts,
  baselinePredictors,
  type EvaluationResult,
  type PredictOptions,
  policyResult,
  predict,
  predictAndScore,
  predictionPrompt,
  type ScoredPrediction,
  type WeightChange,
  wastedSteps,
  weightChange,
  worldModelResult,
} from './evaluation/index.ts'
export {
  type AdvantageOptions,
  type Aggregation,
  type GroupMember,
  type PolicyUpdate,
  type PolicyUpdateOptions,
  policyUpdate,
  sftUpdate,
} from './learning/index.ts'
// Experiments and methods.
export {
  alfworldPreset,
  coinFlip,
  defineConfig,
  type Experiment,
  interleaved,
  METHODS,
  type Method,
  methodOf,
  miniDataPreset,
  miniPreset,
  mismatchedTargets,
  modelFolder,
  type OpenRun,
  openRun,
  policyRl,
  type RunOptions,
  runMethod,
  rwml,
  settingsOf,
  toolsPreset,
  worldModelSft,
} from './methods/index.ts'
// Pretrained models.
export {
  convertModel,
  type Inspection,
  importFromHub,
  inspectModel,
  type WrittenModel,
} from './models/index.ts'
// Runs on disk.
export { buildReport, loadReportInput } from './reports/index.ts'
export {
  embeddingReward,
  exactReward,
  hybridReward,
  jsonReward,
  rougeReward,
  type Score,
  textReward,
  type WorldModelReward,
} from './rewards/index.ts'
export {
  type CheckOptions,
  checkEnvironment,
  type EnvironmentCheck,
  type PlayOptions,
  type PlayWithOptions,
  playWave,
  playWith,
  type Slot,
} from './rollouts/index.ts'
// Chat models at services: agents, simulated users, judges.
export {
  type ChatAnswer,
  type ChatMessage as ServiceMessage,
  type ChatModel,
  type ChatOptions,
  ChatService,
  conversationUsage,
  type ServiceSettings,
  Spending,
} from './services/index.ts'

export {
  type Artifacts,
  type CollectByOptions,
  type Config,
  collectByStage,
  collectStage,
  type EvaluateOptions,
  type Expected,
  evaluateStage,
  filterStage,
  interleavedStage,
  type Outcome,
  ours,
  type Planner,
  type PlayersOptions,
  type PolicyOptions,
  type Preset,
  paper,
  playersStage,
  policyStage,
  type Rehearsal,
  type ResolvedConfig,
  resolveConfig,
  rewardStage,
  type Stage,
  type StageContext,
  type StagePlan,
  type TrainingStage,
  type WorldModelOptions,
  weightChangeStage,
  worldModelSftStage,
  worldModelStage,
} from './stages/index.ts'
export { RunFolder } from './store/index.ts'
// Studies: methods × seeds × settings.
export { type ComparisonEntry, defineStudy, type Study, type StudyArm, writeStudyReport } from './studies/index.ts'
export { ChatFormat, Conversation, loadChatFormat, type Message } from './tokens/index.ts'
