import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readQuery } from './entries.ts'

test('the first character of a query selects what is searched', () => {
  assert.deepEqual(readQuery('print'), { scope: 'all', words: 'print' })
  assert.deepEqual(readQuery(' # print '), { scope: 'conversations', words: 'print' })
  assert.deepEqual(readQuery('@bob'), { scope: 'people', words: 'bob' })
  assert.deepEqual(readQuery('>'), { scope: 'commands', words: '' })
})
