import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Examples import the package by its name: tests of them mean the sources, not the last build.
  resolve: { alias: { rwml: new URL('src/index.ts', import.meta.url).pathname } },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts'],
    reporters: ['default', './test/summary-reporter.ts'],
    // Deadlines, not expectations: a busy machine is not a failure.
    testTimeout: 900_000,
    hookTimeout: 120_000,
    // Two cores, and the engine's own threads: more workers only fight each other.
    maxWorkers: 2,
  },
})
