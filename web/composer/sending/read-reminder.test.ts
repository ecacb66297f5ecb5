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
  assert.deepEqual(readReminder('me on June 1st to greet Linda', wednesday), {
    at: at(2027, 5, 1, 12),
    text: 'greet Linda',
  })
  assert.deepEqual(readReminder('me that the oven is on in 20 minutes', wednesday), {
    at: soon,
    text: 'the oven is on',
  })
  assert.deepEqual(readReminder('in 20 minutes: meet Ada', wednesday), { at: soon, text: 'meet Ada' })
})

test('a text without a time at its start or end is no reminder, and the word in the place of the time is named', () => {
  for (const [text, noTime] of [
    ['call Ada', 'call'],
    ['read what she wrote yesterday evening about it', 'read'],
    ['blursday water the plants', 'blursday'],
    ['tomorow at 9 water the plants', 'tomorow'],
    ['me to water the plants blursday ', 'blursday'],
    ['', ''],
  ] as const)
    assert.deepEqual(readReminder(text, wednesday), { noTime }, text)
})

test('a time of day without a meaning is refused instead of becoming a part of the text', () => {
  for (const [text, noTime] of [
    ['tomorrow at 99 call Ada', 'at 99'],
    ['monday at 9:77 call Ada', 'at 9:77'],
    ['me on monday 25:00 to call Ada', '25:00'],
  ] as const)
    assert.deepEqual(readReminder(text, wednesday), { noTime }, text)
})

test('numbers behind a complete time belong to the text', () => {
  const text = (given: string) => {
    const read = readReminder(given, wednesday)
    return 'at' in read ? read.text : read
  }

  assert.equal(text('tomorrow at 9 read 3 pages'), 'read 3 pages')
  assert.equal(text('tomorrow at 9 at 5 Main Street'), 'at 5 Main Street')
  assert.equal(text('in 20 minutes 10:30 lecture'), '10:30 lecture')
})
