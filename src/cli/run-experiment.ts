import { shellQuote } from '../core/index.ts'
import { type Experiment, methodOf, openRun, runMethod, settingsOf } from '../methods/index.ts'
import { interruptible } from './interrupt.ts'
import { formatDuration, Progress } from './progress.ts'
import { writeReport } from './report.ts'
import { summary, summaryTable } from './summary.ts'

export interface ExperimentRun {
  experiment: Experiment
  /** Settings of the command line, by dotted path; they win over the experiment's. */
  overrides: Record<string, unknown>
  /** How it was started, without `--out` and `--resume`. */
  command: string
  out: string
  resume: boolean
  /** End with one JSON object on the last line. */
  json: boolean
}

/**
 * Runs an experiment from start to report, as every command that trains does: progress on standard error, the summary on
 * standard output; Ctrl-C saves and says how to go on.
 */
export async function runExperiment({
  experiment,
  overrides,
  command,
  out,
  resume,
  json,
}: ExperimentRun): Promise<void> {
  const method = methodOf(experiment)
  const resolved = settingsOf(experiment, overrides)
  const goOn = `${command} --out ${shellQuote(out)} --resume`
  const { environment, agent, engine } = experiment
  const began = performance.now()
  await interruptible(goOn, async (signal) => {
    const run = await openRun({
      out,
      resolved,
      method,
      environment,
      agent,
      engine,
      command,
      resume,
      progress: new Progress(),
      signal,
      warn: (message) => console.error(message),
    })
    try {
      const { evaluation } = await runMethod(method, run.context)
      await run.close('finished')
      const { html } = writeReport(out)
      console.log(`\n${evaluation ? summaryTable(evaluation) : `${method.name} evaluates nothing.`}`)
      console.log(`\nReport: ${html}  (${formatDuration((performance.now() - began) / 1000)})`)
      if (json) {
        const { seed } = resolved.config
        console.log(JSON.stringify({ out, seed, report: html, ...(evaluation && summary(evaluation)) }))
      }
    } catch (error) {
      await run.close(signal.aborted ? 'interrupted' : 'failed')
      if (!signal.aborted) {
        console.error(`\nStopped by what follows. What was done is saved; once it is mended, go on with: npx ${goOn}`)
      }
      throw error
    }
  })
}
