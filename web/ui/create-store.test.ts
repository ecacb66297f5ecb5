import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStore, deriveStore } from './create-store.ts'

test('a derived value is computed once for each change of its inputs, and knows the value before', () => {
  const [one, other] = [createStore(1), createStore(10)]
  const computed: [number, number | undefined][] = []
  const sum = deriveStore([one, other], ([a, b], before: number | undefined) => {
    computed.push([a + b, before])
    return a + b
  })

  assert.deepEqual([sum.get(), sum.get()], [11, 11])
  one.set(2)
  one.set(2)
  assert.deepEqual([sum.get(), sum.get()], [12, 12])

  assert.deepEqual(computed, [
    [11, undefined],
    [12, 11],
  ])
})

test('listeners of a derived value are called for each input until they stop', () => {
  const [one, other] = [createStore('a'), createStore('b')]
  let calls = 0
  const stop = deriveStore([one, other], ([a, b]) => a + b).subscribe(() => (calls += 1))

  one.set('c')
  other.set('d')
  stop()
  one.set('e')

  assert.equal(calls, 2)
})
