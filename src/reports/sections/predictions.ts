import type { ArmResult, PredictionExample } from '../../evaluation/index.ts'
import type { Prediction, Section } from '../document.ts'
import type { ReportInput } from '../input.ts'

/** Enough to get a feeling, few enough to be read. */
const SHOWN = 8

/** Characters of an instruction. */
const LONGEST = 160

/** Predictions of every arm for the same transitions, beside what really followed. */
export function predictionsSection(input: ReportInput): Section {
  const predictions = choose(collect(input.evaluation?.arms ?? []))
  return {
    id: 'predictions',
    title: 'Predictions beside what really followed',
    blocks:
      predictions.length === 0
        ? [{ block: 'paragraph', content: ['Not measured: no examples are stored.'] }]
        : [
            {
              block: 'note',
              content: ['The first stored examples of each kind in turn, not chosen by outcome.'],
            },
            { block: 'predictions', predictions },
          ],
  }
}

/** Examples of all arms, joined by what they are about. */
function collect(arms: readonly ArmResult[]): Prediction[] {
  const byTransition = new Map<string, Prediction>()
  for (const { arm, worldModel } of arms) {
    for (const example of worldModel.filter((result) => result.predictor === 'model').flatMap((one) => one.examples)) {
      const { kind, action, actual } = example
      const instruction = shortened(example.instruction)
      const key = JSON.stringify([kind, instruction, action, actual])
      const prediction = byTransition.get(key) ?? { kind, instruction, action, actual, answers: [] }
      if (!prediction.answers.some((answer) => answer.arm === arm)) prediction.answers.push(answerOf(arm, example))
      byTransition.set(key, prediction)
    }
  }
  return [...byTransition.values()]
}

/** A task in a line; some have a whole policy for an instruction. */
function shortened(instruction: string): string {
  return instruction.length > LONGEST ? `${instruction.slice(0, LONGEST)} …` : instruction
}

function answerOf(arm: string, { predicted, thinking, distance, reward }: PredictionExample) {
  return { arm, predicted, thinking, distance, reward }
}

/** One of each kind in turn, in stored order; those that more arms answered first. */
function choose(all: readonly Prediction[]): Prediction[] {
  const kinds = new Map<string, Prediction[]>()
  for (const prediction of [...all].sort((a, b) => b.answers.length - a.answers.length)) {
    kinds.set(prediction.kind, [...(kinds.get(prediction.kind) ?? []), prediction])
  }
  const chosen: Prediction[] = []
  for (let round = 0; chosen.length < Math.min(SHOWN, all.length); round++) {
    for (const list of kinds.values()) if (round < list.length) chosen.push(list[round])
  }
  return chosen.slice(0, SHOWN)
}
