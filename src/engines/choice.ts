/** Engines that are somewhere else: what an experiment names to be trained there instead of on this machine. */
import type { Trainer } from './engine.ts'
import type { Lora, ModelConfig } from './local/index.ts'

/** An open engine. */
export interface Engine {
  readonly config: ModelConfig
  /** The one trainer of this engine: the same object at every call. Its `sampler()` samples without training, too. */
  trainer(): Trainer
  /** Frees what it holds; calls made before are answered, later ones refused. */
  close(): Promise<void>
}

/** What an experiment asks of an engine. */
export interface EngineNeeds {
  /** Folder of the base model here. Of an engine elsewhere, config and tokenizer are enough. */
  folder: string
  /** Absent: all weights are trained. */
  lora: Lora | undefined
  /** 0 = off. */
  clipNorm: number
  /** Coefficients of an entropy bonus. */
  entropy: number[]
  /** Temperatures of the policies that are trained. */
  temperatures: number[]
}

/** One line of what was found out about an engine. */
export interface EngineFact {
  what: string
  /** null: nobody can tell. */
  ok: boolean | null
  note: string
}

/** Dollars for a million tokens. */
export interface EnginePrices {
  sampled: number
  trained: number
}

export interface EngineChoice {
  /** What it is and where, for people. */
  readonly description: string
  /** What results hang on: of another, a run is not gone on with. Not where it is: servers move. */
  readonly identity: object
  readonly prices?: EnginePrices
  /** @throws UserError where it cannot do what is asked, before anything is sent; ServiceError where it does not answer */
  open(needs: EngineNeeds): Promise<Engine>
  /** Looks at it without training anything. Does not throw for what it finds. */
  inspect(needs: EngineNeeds): Promise<EngineFact[]>
}
