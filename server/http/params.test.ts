import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { anyInteger, paramsDecoder } from './params.ts'

const listOf = (length: number) => JSON.stringify(Array.from({ length }, (_, index) => index))

test('a list of numbers may be as long as what one request fetches; other lists are shorter', () => {
  const numbers = paramsDecoder({ ids: z.array(z.int()).optional() })
  const anything = paramsDecoder({ ids: z.array(z.union([z.int(), z.string()])) })

  assert.equal(numbers(() => listOf(5000)).ids?.length, 5000)
  assert.equal(anything(() => listOf(1000)).ids.length, 1000)
  assert.throws(() => numbers(() => listOf(5001)), /ids has too many items \(limit: 5000\)/)
  assert.throws(() => anything(() => listOf(1001)), /ids has too many items \(limit: 1000\)/)
})

test('an integer of any size is a finite number', () => {
  const decode = paramsDecoder({ id: anyInteger })

  for (const text of ['0', '-7', '9007199254740993', '9'.repeat(400), `-${'9'.repeat(400)}`]) {
    const { id } = decode(() => text)
    assert.ok(Number.isInteger(id), text.slice(0, 20))
    assert.equal(Math.sign(id), Math.sign(Number(text)))
  }
})
