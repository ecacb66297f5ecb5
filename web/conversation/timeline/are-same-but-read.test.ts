import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Message } from '../../messages/message.ts'
import { areSameButRead } from './arrange-rows.ts'

const message = (fields: Partial<Message>) =>
  ({ id: 1, content: 'tea', flags: [], ...fields }) as Partial<Message> as Message

test('a message that is read looks as before, and a changed one does not', () => {
  const unread = message({ flags: ['starred'] })

  assert.equal(areSameButRead(unread, message({ flags: ['read', 'starred'] })), true)
  assert.equal(areSameButRead(unread, message({ flags: ['read'] })), false)
  assert.equal(areSameButRead(unread, message({ flags: ['starred'], content: 'coffee' })), false)
  assert.equal(areSameButRead(unread, message({ flags: ['starred'], last_edit_timestamp: 5 })), false)
})
