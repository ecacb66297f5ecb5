import assert from 'node:assert/strict'
import { test } from 'node:test'
import { channelFieldErrors } from './channel-field-errors.ts'

test('an error is shown at its field', () => {
  const fieldOf = (message: string) => Object.keys(channelFieldErrors(message))

  assert.deepEqual(fieldOf("Channel name can't be empty."), ['name'])
  assert.deepEqual(fieldOf('Invalid character in channel name, at position 1.'), ['name'])
  assert.deepEqual(fieldOf('Unable to access channel (board).'), ['name'])
  assert.deepEqual(fieldOf('description is too long (limit: 1024 characters)'), ['description'])
  assert.deepEqual(fieldOf('Insufficient permission'), [])
})
