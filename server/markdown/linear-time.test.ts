import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { type HostileTextFamily, hostileFamilies } from '../../test/hostile/hostile-texts.ts'
import type { Task } from '../../test/markdown/rendering-time-worker.ts'

/** The shorter length, in UTF-16 units. Twice this is the length of the longest message in ASCII. */
const LENGTH = 5000

/** The number of times that each text is rendered. The fastest time counts. */
const RUNS = 2

/** The maximum factor by which the time may grow when the length doubles. */
const MAX_GROWTH = 2.6

/**
 * The maximum number of measurements. Other activity of the machine may distort a measurement, so a failed one is
 * repeated.
 */
const MEASUREMENTS = 10

const worker = new Worker(new URL('../../test/markdown/rendering-time-worker.ts', import.meta.url))
after(() => worker.terminate())

for (const family of hostileFamilies) {
  test(`${family.name} takes time in proportion to its length`, async () => {
    const growths: number[] = []
    while (growths.length < MEASUREMENTS && !growths.some((growth) => growth <= MAX_GROWTH))
      growths.push(await growthOf(family))

    assert.ok(Math.min(...growths) <= MAX_GROWTH, `twice the length took ${growths.join(', ')} times as long`)
  })
}

test('at least forty families are measured', () => {
  assert.ok(hostileFamilies.length >= 40)
})

/** Returns the CPU time for text of length `2 * LENGTH`, divided by the CPU time for length `LENGTH`. */
async function growthOf({ write }: HostileTextFamily): Promise<number> {
  worker.postMessage({ texts: [write(LENGTH), write(2 * LENGTH)], runs: RUNS } satisfies Task)
  const [[single, double]] = (await once(worker, 'message')) as [[number, number]]
  return double / single
}
