import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import test from 'node:test'
import { fc } from '../../test/fast-check.ts'
import { Flag, type FlagName, INDEXED_FLAGS, toFlagsJson } from './flags.ts'

test('a message without a record counts as read and historical', () => {
  assert.deepEqual(toFlagsJson(null), ['read', 'historical'])
})

test('an unread message has no flags', () => {
  assert.deepEqual(toFlagsJson(0), [])
})

test('flags have a fixed order, and either wildcard flag adds wildcard_mentioned once at the end', () => {
  const bits = Flag.historical | Flag.topic_wildcard_mentioned | Flag.read | Flag.stream_wildcard_mentioned

  assert.deepEqual(toFlagsJson(bits), [
    'read',
    'stream_wildcard_mentioned',
    'topic_wildcard_mentioned',
    'historical',
    'wildcard_mentioned',
  ])
})

test('every combination of flags is returned completely and in bit order', () => {
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

test('the condition of the partial index matches the condition of its queries', async () => {
  const migration = new URL('../storage/migrations/0047-create-all-tables.ts', import.meta.url)

  assert.ok((await readFile(migration, 'utf8')).includes(`("flags" & ${INDEXED_FLAGS}) <> 0`))
})
