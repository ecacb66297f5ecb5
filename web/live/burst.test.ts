import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BURST_PAUSE, burstPauses } from './batch.ts'

/** Returns the pauses after responses at these times, in milliseconds. */
function pausesAt(times: readonly number[]): number[] {
  let time = 0
  const pauseAfter = burstPauses(() => time)
  return times.map((at) => {
    time = at
    return pauseAfter()
  })
}

test('polls pause from the third response in a row, and no longer after a quiet time', () => {
  assert.deepEqual(pausesAt([0, 80, 160, 360, 560, 900, 980, 1060]), [
    0,
    0,
    BURST_PAUSE,
    BURST_PAUSE,
    BURST_PAUSE,
    0,
    0,
    BURST_PAUSE,
  ])
})

test('polls never pause while events arrive now and then', () => {
  assert.deepEqual(pausesAt([0, 400, 800, 1200, 1600]), [0, 0, 0, 0, 0])
})
