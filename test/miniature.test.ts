import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { type CorpusOptions, corpusSequence } from '../scripts/mini/corpus.ts'
import { parseGoal } from '../scripts/mini/goal.ts'
import { Guesser } from '../scripts/mini/guesser.ts'
import { corpusKnowledge } from '../scripts/mini/knowledge.ts'
import { Memory } from '../scripts/mini/memory.ts'
import { Player } from '../scripts/mini/player.ts'
import { miniTokenizer } from '../scripts/mini/vocabulary.ts'
import { Random } from '../src/core/index.ts'
import { generateHouse, Play, withoutStop } from '../src/environments/index.ts'
import { loadChatFormat } from '../src/tokens/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'rwml-mini-'))
const { tokenizer, tokenizerConfig, vocabularySize } = miniTokenizer()
writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer))
writeFileSync(join(folder, 'tokenizer_config.json'), JSON.stringify(tokenizerConfig))
const format = loadChatFormat(folder)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const knowledge = corpusKnowledge()
const house = (seed: number, size: 'small' | 'full' = 'small') => generateHouse({ seed, size, split: 'base' }).game
const perfect = { wander: 0, forgetful: 0, shy: 0, blunder: 0 }

function playOnce(seed: number) {
  const game = house(seed)
  const play = new Play(game)
  const memory = new Memory(play.initial)
  const goal = parseGoal(withoutStop(game.taskLine))!
  const move = (object: string, place: string) => `move ${object} to ${place}`
  const player = new Player(goal, memory, perfect, new Random(seed), knowledge.plausible, move)
  const steps: { command: string; listing: string[]; valid: boolean; won: boolean }[] = []
  for (let step = 0; step < 40; step++) {
    const { command } = player.next(() => play.admissible())
    const listing = memory.listing
    const { observation, valid, won } = play.step(command)
    steps.push({ command, listing, valid, won })
    if (won) break
    memory.observe(command, observation)
  }
  return steps
}

describe('the tokenizer of the miniature', () => {
  it('writes any text, and gives it back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(format.tokenizer.decode(format.tokenizer.encode(text))).toBe(text)
      }),
    )
  })

  it('knows the words of the games: a full room takes few tokens, and none of them is a letter', () => {
    for (let seed = 0; seed < 40; seed++) {
      const play = new Play(house(seed, 'full'))
      const texts = [play.initial, ...play.admissible().filter((command) => command !== 'help')]
      for (const text of texts) {
        const tokens = format.tokenizer.encode(text)
        expect(format.tokenizer.decode(tokens)).toBe(text)
        expect(tokens.filter((id) => id < 256).map((id) => format.tokenizer.decode([id]))).toEqual([])
      }
    }
    expect(vocabularySize).toBeLessThan(1200)
  })
})

describe('the player', () => {
  it('solves what it is asked, from texts alone, and takes only what it sees', () => {
    const games = Array.from({ length: 150 }, (_, seed) => playOnce(seed))
    const solved = games.filter((steps) => steps.at(-1)?.won).length
    expect(solved).toBeGreaterThanOrEqual(147)
    for (const { command, listing } of games.flat()) {
      const taken = /^take (.+) from/.exec(command)
      if (taken) expect(listing).toContain(taken[1])
    }
  })
})

describe('the guesser', () => {
  it('gives every outcome of a verb, whatever would happen', () => {
    const memory = new Memory('you see a desk 1, and a drawer 1.\n')
    const random = new Random('guess')
    const guesses = Array.from({ length: 200 }, () =>
      new Guesser(random, ['mug']).guess('take mug 1 from desk 1', memory),
    )
    expect(new Set(guesses.map((guess) => guess.nextState))).toEqual(
      new Set(['You pick up the mug 1 from the desk 1.', 'Nothing happens.']),
    )
  })
})

describe('the corpus', () => {
  const options: CorpusOptions = {
    predictions: 0.5,
    habits: { wander: [0, 0.3], forgetful: [0, 0.3], shy: [0, 0.3], blunder: [0, 0.1] },
    maxSteps: 12,
  }

  it('is a pure function of its seed, and puts no weight on what the game said', () => {
    for (let seed = 0; seed < 60; seed++) {
      const sequence = corpusSequence(house(seed), format, knowledge, options, seed)
      expect(corpusSequence(house(seed), format, knowledge, options, seed)).toEqual(sequence)
      let said = false
      for (const [index, id] of sequence.tokens.entries()) {
        const token = format.tokenizer.decode([id])
        if (!said) expect(sequence.weights[index]).toBe(0)
        if (token === '<|assistant|>') said = true
        if (token === '<|end|>') said = false
      }
    }
  })
})
