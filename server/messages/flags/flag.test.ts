import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import test from 'node:test'
import fc from 'fast-check'
import { Flag, type FlagName, INDEXED_FLAGS, toFlagsJson } from './flag.ts'

test('somebody without a record has read the message as history', () => {
  assert.deepEqual(toFlagsJson(null), ['read', 'historical'])
})

test('an unread message has no flags', () => {
  assert.deepEqual(toFlagsJson(0), [])
})

test('flags stand in one order, and either wildcard flag adds the old one last, once', () => {
  const bits = Flag.historical | Flag.topic_wildcard_mentioned | Flag.read | Flag.stream_wildcard_mentioned

  assert.deepEqual(toFlagsJson(bits), [
    'read',
    'stream_wildcard_mentioned',
    'topic_wildcard_mentioned',
    'historical',
    'wildcard_mentioned',
  ])
})

test('every set of flags is shown whole, in the order of the bits', () => {
  const names = Object.keys(Flag) as FlagName[]
  fc.assert(
    fc.property(fc.subarray(names), (chosen) => {
      const bits = chosen.reduce((sum, name) => sum | Flag[name], 0)
      assert.deepEqual(
        toFlagsJson(bits).filter((name) => name !== 'wildcard_mentioned'),
        chosen,
      )
    }),
  )
})

test('the index of marks has the condition that its queries ask for', async () => {
  const migration = new URL('../../platform/storage/migrations/0003-search-messages.ts', import.meta.url)

  assert.ok((await readFile(migration, 'utf8')).includes(`("flags" & ${INDEXED_FLAGS}) <> 0`))
})
