import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Message } from '../../messages/message.ts'
import { notificationText } from './wants-notification.ts'

const OWN = 1

const toPeople = (...ids: number[]) =>
  ({
    sender_id: 2,
    sender_full_name: 'Ada',
    content: '<p>tea?</p>',
    submessages: [],
    display_recipient: ids.map((id) => ({ id, full_name: `Person ${id}` })),
  }) as unknown as Message

test('the title names the sender and the conversation', () => {
  const shown = { ownId: OWN, hidesDirect: false }
  const inTopic = {
    sender_full_name: 'Ada',
    display_recipient: 'kitchen',
    subject: 'tea',
    content: '<p>now</p>',
    submessages: [],
  }

  assert.deepEqual(notificationText(toPeople(OWN, 2), shown), { title: 'Ada', body: 'tea?' })
  assert.deepEqual(notificationText(toPeople(OWN, 2, 3, 4), shown).title, 'Ada, to you and Person 3, Person 4')
  assert.deepEqual(notificationText(inTopic as unknown as Message, shown), {
    title: 'Ada in #kitchen › tea',
    body: 'now',
  })
  assert.deepEqual(
    notificationText({ ...inTopic, subject: '' } as unknown as Message, shown).title,
    'Ada in #kitchen › general chat',
  )
})

test('the content of direct messages can be hidden, that of channels not', () => {
  const hidden = { ownId: OWN, hidesDirect: true }
  const inTopic = {
    sender_full_name: 'Ada',
    display_recipient: 'kitchen',
    subject: 'tea',
    content: '<p>now</p>',
    submessages: [],
  }

  assert.equal(notificationText(toPeople(OWN, 2), hidden).body, 'New direct message')
  assert.equal(notificationText(inTopic as unknown as Message, hidden).body, 'now')
})
