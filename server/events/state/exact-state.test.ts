import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reducers } from '../../../test/client-model/reducers.ts'
import { runScenario, scenarios } from '../../../test/client-model/scenario.ts'
import { onPostgres } from '../../../test/database.ts'
import { fc } from '../../../test/fast-check.ts'
import { allEvents, type EventType } from '../catalogue.ts'

/** The number of random scenarios to run; 0 to run the fixed scenarios instead. */
const randomRuns = Number(process.env['PARLEY_TEST_SCENARIOS'] ?? 0)

const property = fc.asyncProperty(scenarios, async (scenario) => {
  const clients = await runScenario(scenario)

  for (const client of clients) await client.assertCurrent()
  // The actions never deactivate the first four accounts.
  assert.deepEqual(
    clients.slice(0, 4).map(({ hasLostQueue }) => hasLostQueue),
    [false, false, false, false],
  )
})

/**
 * The time limit for all scenarios, in milliseconds. It lets a failure be reported, though not shrunk, before the test
 * runner stops the file.
 */
const MAX_DURATION = 1_200_000

test('the model client handles every type of event', () => {
  const handled = new Set(reducers.flatMap(({ eventTypes }) => eventTypes))

  for (const { kind, type } of allEvents) assert.ok(handled.has(type as EventType), kind)
})

test('events keep the state of a client equal to the state that a new client fetches', async () => {
  const runs = randomRuns > 0 ? { numRuns: randomRuns } : { seed: 4, numRuns: onPostgres ? 3 : 12 }
  await fc.assert(property, { ...runs, interruptAfterTimeLimit: MAX_DURATION, markInterruptAsFailure: true })
})
