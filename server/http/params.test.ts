import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { paramsDecoder } from './params.ts'

const listOf = (length: number) => JSON.stringify(Array.from({ length }, (_, index) => index))

test('a list of numbers may be as long as what one request fetches; other lists are shorter', () => {
  const numbers = paramsDecoder({ ids: z.array(z.int()).optional() })
  const anything = paramsDecoder({ ids: z.array(z.union([z.int(), z.string()])) })

  assert.equal(numbers(() => listOf(5000)).ids?.length, 5000)
  assert.equal(anything(() => listOf(1000)).ids.length, 1000)
  assert.throws(() => numbers(() => listOf(5001)), /ids has too many items \(limit: 5000\)/)
  assert.throws(() => anything(() => listOf(1001)), /ids has too many items \(limit: 1000\)/)
})
