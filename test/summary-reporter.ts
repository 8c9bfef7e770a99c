import type { Reporter, TestModule } from 'vitest/node'

/** Ends a test run with `N passed, N failed, N skipped` alone on a line, for machines to read. */
class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 }
    for (const module of modules) {
      // A file that could not even be loaded has no tests to count, and is a failure.
      if (module.state() === 'failed' && [...module.children.allTests()].length === 0) counts.failed++
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state === 'passed') counts.passed++
        else if (state === 'failed') counts.failed++
        else counts.skipped++
      }
    }
    counts.failed += errors.length
    process.on('exit', () => {
      console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
    })
  }
}

// vitest loads reporters by their default export.
export default SummaryReporter
