import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { anyInteger, paramsDecoder } from './params.ts'

const listOf = (length: number) => JSON.stringify(Array.from({ length }, (_, index) => index))

test('a list of numbers may be as long as one fetch, and other lists are limited to fewer items', () => {
  const numbers = paramsDecoder({ ids: z.array(z.int()).optional() })
  const anything = paramsDecoder({ ids: z.array(z.union([z.int(), z.string()])) })

  assert.equal(numbers(() => listOf(5000)).ids?.length, 5000)
  assert.equal(anything(() => listOf(1000)).ids.length, 1000)
  assert.throws(() => numbers(() => listOf(5001)), /ids has too many items \(limit: 5000\)/)
  assert.throws(() => anything(() => listOf(1001)), /ids has too many items \(limit: 1000\)/)
})

test('NaN and Infinity are numbers, but not integers', () => {
  const decode = paramsDecoder({ ids: z.array(z.int()).optional(), names: z.array(z.string()).optional() })
  const cases: [string, string, string][] = [
    ['ids', '[1, NaN]', 'ids[1] is not an integer'],
    ['ids', ' -Infinity ', 'ids is not a list'],
    ['names', '["NaN \\" Infinity", NaN]', 'names[1] is not a string'],
    ['names', '["Infinity", NaNa]', 'names is not valid JSON'],
    ['names', '["Infinity', 'names is not valid JSON'],
  ]

  for (const [name, text, message] of cases)
    assert.throws(() => decode((asked) => (asked === name ? text : undefined)), { message })
  assert.deepEqual(decode((asked) => (asked === 'names' ? '["NaN", "Infinity"]' : undefined)).names, [
    'NaN',
    'Infinity',
  ])
})

test('an integer of any size is a finite number', () => {
  const decode = paramsDecoder({ id: anyInteger })

  for (const text of ['0', '-7', '9007199254740993', '9'.repeat(400), `-${'9'.repeat(400)}`]) {
    const { id } = decode(() => text)
    assert.ok(Number.isInteger(id), text.slice(0, 20))
    assert.equal(Math.sign(id), Math.sign(Number(text)))
  }
})

test('values out of bounds are refused with the messages of the API, not those of zod', () => {
  const pair = z.tuple([z.string(), z.string()])
  const types = {
    count: z.int().min(0).optional(),
    size: z.int().max(20).optional(),
    pairs: z.array(pair).max(2).optional(),
    words: z.array(z.string()).min(1).optional(),
  }
  const cases: [string, string, string][] = [
    ['count', '-1', 'count is too small'],
    ['size', '21', 'size is too large'],
    ['pairs', '[["a","b"],["a"]]', 'pairs[1] has too few items'],
    ['pairs', '[["a","b","c"]]', 'pairs[0] has too many items (limit: 2)'],
    ['pairs', '[["a","b"],["a","b"],["a","b"]]', 'pairs has too many items (limit: 2)'],
    ['words', '[]', 'words has too few items'],
  ]

  for (const [name, text, message] of cases)
    assert.throws(() => paramsDecoder(types)((asked) => (asked === name ? text : undefined)), { message })
})
