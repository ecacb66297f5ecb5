import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isMeMessage } from './render.ts'

test('a message is in the third person if it starts with /me and a space', () => {
  const messages = ['/me waves', '/me ', '/mewaves', ' /me waves', '/ME waves', '/me', '']

  const events = messages.filter(isMeMessage)

  assert.deepEqual(events, ['/me waves', '/me '])
})
