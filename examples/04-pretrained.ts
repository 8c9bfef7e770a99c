/**
 * A pretrained model of one's own, here SmolLM2-135M, trained by an adapter on two cores:
 *
 *     npx rwml model import HuggingFaceTB/SmolLM2-135M-Instruct --out models/smollm2
 *     npx rwml run examples/04-pretrained.ts --dry
 *     npx rwml run examples/04-pretrained.ts
 *
 * Small generated households; for ALFWorld's own games add
 * `--set environment.source=data --set environment.data=DIR`. What came of it: docs/results/smollm2.md.
 *
 * So small a model does not follow the instructions that larger ones are given (`agent.style`): of its first 8 steps none was a
 * command. It does copy, so the agent below shows it made-up answers in the form it is to write, and the commands that are
 * possible.
 */
import { type Agent, actionText, alfworldWindow, defineConfig, observationText, type View } from 'rwml'

type Example = [question: string, answer: string]

/** A conversation that begins with answered examples. */
const conversation = (system: string, examples: Example[], question: string) => [
  { role: 'system' as const, content: system },
  ...examples.flatMap(([asked, answer]) => [
    { role: 'user' as const, content: asked },
    { role: 'assistant' as const, content: answer },
  ]),
  { role: 'user' as const, content: question },
]

const room = 'You are in the middle of a room. Looking quickly around you, you see a desk 1, and a drawer 1.'

const ACT: Example[] = [
  [`Task: put a pen in drawer.\n${room}\nCommands:\n- go to desk 1\n- go to drawer 1\n- look`, 'go to desk 1'],
  [
    'Task: put a pen in drawer.\nOn the desk 1, you see a pen 2.\nCommands:\n- look\n- take pen 2 from desk 1',
    'take pen 2 from desk 1',
  ],
]

const state = (text: string) => `<next_state>${text}</next_state>`

const PREDICT: Example[] = [
  [`Now: ${room}\nCommand: go to desk 1`, state('You arrive at desk 1. On the desk 1, you see a pen 2.')],
  [
    'Now: On the desk 1, you see a pen 2.\nCommand: take pen 2 from desk 1',
    state('You pick up the pen 2 from the desk 1.'),
  ],
  [
    'Now: You pick up the pen 2 from the desk 1.\nCommand: go to drawer 1',
    state('You arrive at drawer 1. The drawer 1 is closed.'),
  ],
]

/** What is seen now. */
const current = ({ initial, history }: Pick<View, 'initial' | 'history'>) =>
  observationText(history.at(-1)?.observation ?? initial)
    .replace('-= Welcome to TextWorld, ALFRED! =-', '')
    .split('Your task is to')[0]
    .trim()

const agent: Agent = {
  ...alfworldWindow({ historyTurns: 1, showActions: true }),
  name: 'by-example',
  playMessages: (view) =>
    conversation(
      'Choose one of the commands.',
      ACT,
      [`Task: ${view.instruction}`, current(view), 'Commands:', ...(view.actions ?? []).map((one) => `- ${one}`)].join(
        '\n',
      ),
    ),
  // One command and nothing else: this model is not asked to think.
  parseAction: (reply) => {
    const lines = reply.trim().split('\n')
    const text = lines[0].trim()
    return {
      thinking: null,
      wellFormed: text !== '' && lines.length === 1,
      action: text ? { kind: 'text', text } : null,
    }
  },
  predictMessages: (transition) =>
    conversation(
      'Say what follows the command.',
      PREDICT,
      `Now: ${current(transition)}\nCommand: ${actionText(transition.action)}`,
    ),
  predictionLabel: ({ next }) => state(observationText(next)),
}

export default defineConfig({
  preset: 'mini',
  method: 'rwml',
  agent,
  settings: {
    model: { path: 'models/smollm2', lora: { rank: 16, alpha: 32, targets: 'all-linear' } },
    // Of the six kinds of tasks the one with the fewest steps.
    environment: { kind: 'place', tasks: { train: 64, seen: 8, unseen: 8 } },
    collect: { tasks: 32, rollouts: 1, temperature: 0.7, maxSteps: 6, maxTokens: 24, wave: 32, maxTransitions: 120 },
    // So small a model seldom has a whole observation right: how near it comes is what it can learn from.
    reward: { mode: 'continuous' },
    filter: { draws: 2, keepHopeless: 1, learningRate: 1e-4, batch: 8 },
    worldModel: {
      batch: 4,
      groupSize: 4,
      temperature: 0.7,
      maxTokens: 64,
      maxSteps: 10,
      epochs: 1,
      learningRate: 1e-4,
      warmupSteps: 2,
    },
    policy: {
      tasks: 4,
      groupSize: 4,
      temperature: 0.7,
      maxSteps: 16,
      maxTokens: 24,
      steps: 5,
      learningRate: 1e-4,
      warmupSteps: 1,
    },
    evaluate: { tasks: 8, runs: 1, maxSteps: 16, transitions: 24 },
  },
})
