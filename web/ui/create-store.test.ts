import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStore, deriveStore, together } from './create-store.ts'

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

test('listeners of a derived value are called when it changes, until they stop', () => {
  const [one, other] = [createStore(1), createStore(1)]
  let calls = 0
  const sum = deriveStore([one, other], ([a, b]) => a + b)
  const stop = sum.subscribe(() => (calls += 1))

  one.set(2)
  // Another listener of an input may read the value first.
  const stopReading = other.subscribe(sum.get)
  other.set(2)
  assert.equal(calls, 2)

  together(() => {
    one.set(1)
    other.set(3)
  })
  assert.equal(calls, 2)

  stop()
  stopReading()
  one.set(5)
  assert.equal(calls, 2)
  assert.equal(sum.get(), 8)
})

test('a derived value that is observed again notices what changed meanwhile', () => {
  const one = createStore(1)
  const double = deriveStore([one], ([value]) => value * 2)
  double.subscribe(() => {})()
  one.set(2)
  const seen: number[] = []
  double.subscribe(() => seen.push(double.get()))

  one.set(1)
  assert.deepEqual(seen, [2])
})

test('changes that are made together call each listener once, even if one of them throws', () => {
  const store = createStore(0)
  const seen: number[] = []
  store.subscribe(() => seen.push(store.get()))

  together(() => {
    store.set(1)
    together(() => store.set(2))
    assert.equal(store.get(), 2)
    assert.deepEqual(seen, [])
  })
  assert.deepEqual(seen, [2])

  const failing = () =>
    together(() => {
      store.set(3)
      throw new Error('failed')
    })
  assert.throws(failing, /failed/)
  assert.deepEqual(seen, [2, 3])
})
