import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lockChannel } from '#channels/queries.ts'
import { updateChannel } from '#channels/update-channel.ts'
import { deleteMessage } from '#messages/editing/delete-messages.ts'
import { editMessage } from '#messages/editing/edit-message.ts'
import { prepareEdit } from '#messages/editing/prepare-edit.ts'
import { prepareTopicNotice } from '#messages/prepare-message.ts'
import { addReaction } from '#messages/reactions.ts'
import { sendMessage } from '#messages/send-message.ts'
import { findUser } from '#people/user-queries.ts'
import type { Actor } from '#people/users.ts'
import { Role } from '#rules/role.ts'
import type { Transaction } from '#storage/storage.ts'
import { type Chat, type Person, startChat } from '../../test/harness.ts'
import { sendToChannel } from '../../test/messages.ts'
import { whileTransactionIsOpen } from '../../test/open-transaction.ts'
import { unsubscribeAndNotify } from './unsubscribe-and-notify.ts'

const emittedOps = async (chat: Chat, person: Person) =>
  (await chat.eventsOf(person)).map((event) => `${event.type} ${event['op']}`)

const emittedTypes = async (chat: Chat, person: Person) => (await chat.eventsOf(person)).map((event) => event.type)

test('a message that is being sent while a user leaves is saved first, and becomes read', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const design = await chat.channel('design', [ben])
  const notice = { channel: design, topic: 'news', content: 'hello' }

  const { id } = await whileTransactionIsOpen(
    chat,
    async (tx) => sendMessage(tx, await prepareTopicNotice(tx.db, chat.realm, notice)),
    () => ben.succeed('DELETE /users/me/subscriptions', { subscriptions: ['design'] }),
  )

  assert.deepEqual((await ben.succeed(`GET /messages/${id}`))['message'].flags, ['read'])
  assert.deepEqual(await emittedTypes(chat, ben), ['message', 'subscription', 'update_message_flags'])
})

test('a message that is sent while a user is leaving does not reach them', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  await chat.channel('design', [ada, ben], { isPrivate: true })
  const leavingUser: Actor = { ...(await findUser(chat.app.services.db, ben.id))!, realm: chat.realm }

  await whileTransactionIsOpen(
    chat,
    (tx) => unsubscribeAndNotify(tx, leavingUser, ['design']),
    () => ada.succeed('POST /messages', { type: 'channel', to: 'design', topic: 'news', content: 'hello' }),
  )

  assert.deepEqual(await emittedTypes(chat, ben), ['subscription', 'stream'])
})

const changes: Record<string, (person: Person, messageId: number) => Promise<unknown>> = {
  'an edit': (person, id) => person.succeed(`PATCH /messages/${id}`, { content: 'changed' }),
  'a new topic': (person, id) => person.succeed(`PATCH /messages/${id}`, { topic: 'plans' }),
  'a reaction': (person, id) => person.succeed(`POST /messages/${id}/reactions`, { emoji_name: 'tada' }),
  'a reaction taken back': (person, id) => person.succeed(`DELETE /messages/${id}/reactions`, { emoji_name: 'smile' }),
  'a deletion': (person, id) => person.succeed(`DELETE /messages/${id}`),
  'a submessage': (person, message_id) =>
    person.succeed('POST /submessage', { message_id, msg_type: 'widget', content: '{}' }),
}

for (const [what, change] of Object.entries(changes)) {
  test(`${what} made while a user is leaving does not reach them`, async () => {
    const chat = await startChat()
    const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
    const secret = await chat.channel('secret', [ada, ben], { isPrivate: true })
    const id = await sendToChannel(ada, secret)
    await ada.succeed(`POST /messages/${id}/reactions`, { emoji_name: 'smile' })
    const leavingUser: Actor = { ...(await findUser(chat.app.services.db, ben.id))!, realm: chat.realm }

    await whileTransactionIsOpen(
      chat,
      (tx) => unsubscribeAndNotify(tx, leavingUser, ['secret']),
      () => change(ada, id),
    )

    const events = await emittedTypes(chat, ben)
    assert.deepEqual(events.slice(events.indexOf('subscription')), ['subscription', 'stream', 'update_message_flags'])
  })
}

const changesInProgress: Record<string, (tx: Transaction, actor: Actor, id: number) => Promise<unknown>> = {
  'an edit': async (tx, actor, id) => {
    const request = {
      content: 'changed',
      mode: 'change_one',
      notifiesOldTopic: false,
      notifiesNewTopic: false,
    } as const
    return editMessage(tx, await prepareEdit(tx.db, actor, id, request, tx.now))
  },
  'a reaction': (tx, actor, id) => addReaction(tx, actor, id, { name: 'tada' }),
  'a deletion': deleteMessage,
}

for (const [what, change] of Object.entries(changesInProgress)) {
  test(`${what} in progress when a user leaves is completed first`, async () => {
    const chat = await startChat()
    const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
    const secret = await chat.channel('secret', [ada, ben], { isPrivate: true })
    const id = await sendToChannel(ada, secret)
    const author: Actor = { ...(await findUser(chat.app.services.db, ada.id))!, realm: chat.realm }

    await whileTransactionIsOpen(
      chat,
      (tx) => change(tx, author, id),
      () => ben.succeed('DELETE /users/me/subscriptions', { subscriptions: ['secret'] }),
    )

    const events = await emittedTypes(chat, ben)
    assert.equal(events[0], 'message')
    assert.match(events[1] ?? '', /^(update_message|reaction|delete_message)$/)
    assert.equal(events[2], 'subscription')
  })
}

test('a channel that is being made private is deleted for a user who leaves it meanwhile', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
  const design = await chat.channel('design', [ada, ben])
  const admin: Actor = { ...(await findUser(chat.app.services.db, ada.id))!, realm: chat.realm }

  await whileTransactionIsOpen(
    chat,
    async (tx) =>
      updateChannel(tx, admin, await lockChannel(tx, design.id), { privacy: { isPrivate: true }, settings: {} }),
    () => ben.succeed('DELETE /users/me/subscriptions', { subscriptions: ['design'] }),
  )

  assert.deepEqual(await emittedOps(chat, ben), ['stream update', 'subscription remove', 'stream delete'])
  assert.deepEqual(await emittedOps(chat, cleo), ['stream delete'])
})

test('a channel that is made private while a user is leaving is deleted for them as well', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
  const design = await chat.channel('design', [ada, ben])
  const leavingUser: Actor = { ...(await findUser(chat.app.services.db, ben.id))!, realm: chat.realm }

  await whileTransactionIsOpen(
    chat,
    (tx) => unsubscribeAndNotify(tx, leavingUser, ['design']),
    () => ada.succeed(`PATCH /streams/${design.id}`, { is_private: true }),
  )

  assert.deepEqual(await emittedOps(chat, ben), ['subscription remove', 'stream delete'])
  assert.deepEqual(await emittedOps(chat, cleo), ['subscription peer_remove', 'stream delete'])
})
