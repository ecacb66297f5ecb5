import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { runScenario, scenarios } from '../../../test/client-model/scenario.ts'
import { onPostgres } from '../../../test/database.ts'

/** How many other stories are told, instead of the same few as always. */
const others = Number(process.env['PARLEY_TEST_STORIES'] ?? 0)

const property = fc.asyncProperty(scenarios, async (story) => {
  const followers = await runScenario(story)

  for (const follower of followers) await follower.assertCurrent()
  // Only the others can be deactivated.
  assert.deepEqual(
    followers.slice(0, 4).map(({ hasLostQueue: hasEnded }) => hasEnded),
    [false, false, false, false],
  )
})

/** Milliseconds for all stories, so that a failure is told, though not made smaller, before the runner ends the file. */
const MAX_DURATION = 240_000

test('what a client began with and was told since is what it would be told if it began now', async () => {
  const runs = others > 0 ? { numRuns: others } : { seed: 4, numRuns: onPostgres ? 3 : 12 }
  await fc.assert(property, { ...runs, interruptAfterTimeLimit: MAX_DURATION, markInterruptAsFailure: true })
})
