import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allEvents, clientEvent } from './catalogue.ts'

test('the example of each event is an event as clients receive it', () => {
  for (const { kind, type, op, declaration } of allEvents) {
    const event = { id: 1, type, ...(op !== undefined && { op }), ...declaration.example }

    const checked = clientEvent.safeParse(event)

    assert.ok(checked.success, `${kind}: ${checked.error?.message}`)
  }
})
