import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readReminder } from './read-reminder.ts'

const at = (...parts: [number, number, number, number, number?]) => new Date(...parts).getTime() / 1000
const wednesday = at(2026, 10, 25, 14, 30)

test('a reminder has a time before or after its text', () => {
  const tomorrow = { at: at(2026, 10, 26, 9), text: 'call Ada' }

  assert.deepEqual(readReminder('tomorrow at 9 call Ada', wednesday), tomorrow)
  assert.deepEqual(readReminder('to call Ada tomorrow at 9', wednesday), tomorrow)
  assert.deepEqual(readReminder('in 20 minutes to check the oven', wednesday), {
    at: at(2026, 10, 25, 14, 50),
    text: 'check the oven',
  })
  assert.deepEqual(readReminder('friday 8:15', wednesday), { at: at(2026, 10, 27, 8, 15), text: '' })
})

test('reminders are read in the forms of other chat programs, too', () => {
  const tomorrow = { at: at(2026, 10, 26, 9), text: 'buy descaler' }
  const soon = at(2026, 10, 25, 14, 50)

  assert.deepEqual(readReminder('me tomorrow at 9 to buy descaler', wednesday), tomorrow)
  assert.deepEqual(readReminder('me to buy descaler tomorrow at 9', wednesday), tomorrow)
  assert.deepEqual(readReminder('me "buy descaler" tomorrow at 9', wednesday), tomorrow)
  assert.deepEqual(readReminder('me on June 1st to greet Linda', wednesday)?.text, 'greet Linda')
  assert.deepEqual(readReminder('me that the oven is on in 20 minutes', wednesday), {
    at: soon,
    text: 'the oven is on',
  })
  assert.deepEqual(readReminder('in 20 minutes: meet Ada', wednesday), { at: soon, text: 'meet Ada' })
})

test('a text without a time at its start or end is no reminder', () => {
  assert.equal(readReminder('call Ada', wednesday), null)
  assert.equal(readReminder('read what she wrote yesterday evening about it', wednesday), null)
  assert.equal(readReminder('', wednesday), null)
})

test('a time of day without a meaning is refused instead of becoming a part of the text', () => {
  for (const text of ['tomorrow at 99 call Ada', 'monday at 9:77 call Ada', 'me on monday 25:00 to call Ada'])
    assert.equal(readReminder(text, wednesday), null, text)
  assert.equal(readReminder('tomorrow at 9 read 3 pages', wednesday)?.text, 'read 3 pages')
})
