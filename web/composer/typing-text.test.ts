import assert from 'node:assert/strict'
import { test } from 'node:test'
import { typingText } from './use-typing-notices.ts'

test('two typing users are named, more are several people', () => {
  assert.deepEqual([['Ada'], ['Ada', 'Ben'], ['Ada', 'Ben', 'Cleo']].map(typingText), [
    'Ada is typing…',
    'Ada and Ben are typing…',
    'Several people are typing…',
  ])
})
