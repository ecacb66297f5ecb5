import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setHourCycle, timeFormat } from './clock.ts'

test('formats follow the chosen hour cycle, even those that were made before', () => {
  const clock = timeFormat({ timeStyle: 'short', timeZone: 'UTC' })
  const evening = Date.UTC(2026, 2, 1, 17, 5)
  const shown = () => clock().format(evening).replaceAll('\u202f', ' ')

  setHourCycle(true)
  assert.match(shown(), /^17.05$/)
  setHourCycle(false)
  assert.match(shown(), /^0?5.05 \D+$/)
})
