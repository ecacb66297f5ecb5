import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { CompiledQuery } from 'kysely'
import { findUser } from '#people/user-queries.ts'
import type { Actor } from '#people/users.ts'
import { lockMessageIds } from '#storage/counters.ts'
import { unsubscribeAndNotify } from '#workflows/unsubscribe-and-notify.ts'
import { startModelClient } from '../../test/client-model/model-client.ts'
import { onPostgres } from '../../test/database.ts'
import { type Chat, type Person, startChat } from '../../test/harness.ts'
import { sendToChannel } from '../../test/messages.ts'
import { A_WHILE, whileTransactionIsOpen } from '../../test/open-transaction.ts'
import { saveMentions } from './editing/edit-rows.ts'
import { findNoticeMentions } from './mentions.ts'
import { updateFlags } from './update-flags.ts'

const changes = { 'marked as unread': 'remove', 'marked as read': 'add' } as const

/** Starts a channel with two messages and a client that receives Ben's events. Ben has read the first message. */
async function startTalk() {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])
  const messages = [await sendToChannel(ada, design, 'one'), await sendToChannel(ada, design, '@**Ben** two')]
  await ben.succeed('POST /messages/flags', { messages: messages.slice(0, 1), op: 'add', flag: 'read' })
  return { chat, ben, messages, follower: await startModelClient(ben, { include_subscribers: true }) }
}

const actorOf = async (chat: Chat, { id }: Person): Promise<Actor> => ({
  ...(await findUser(chat.app.services.db, id))!,
  realm: chat.realm,
})

const leave = (person: Person) => person.succeed('DELETE /users/me/subscriptions', { subscriptions: ['design'] })

for (const [change, op] of Object.entries(changes)) {
  test(`messages ${change} while the user is leaving the channel stay read, and the events agree`, async () => {
    const { chat, ben, messages, follower } = await startTalk()
    const leavingUser = await actorOf(chat, ben)

    await whileTransactionIsOpen(
      chat,
      (tx) => unsubscribeAndNotify(tx, leavingUser, ['design']),
      () => ben.succeed('POST /messages/flags', { messages, op, flag: 'read' }),
    )

    await follower.assertCurrent()
    const { messages: now } = await ben.succeed('GET /messages', { anchor: 'newest', num_before: 2, num_after: 0 })
    for (const { flags } of now) assert.ok(flags.includes('read'))
  })

  test(`messages being ${change} when the user leaves the channel are updated before the user has left`, async () => {
    const { chat, ben, messages, follower } = await startTalk()
    const reader = await actorOf(chat, ben)

    await whileTransactionIsOpen(
      chat,
      (tx) => updateFlags(tx, reader, { messageIds: messages, op, flag: 'read' }),
      () => leave(ben),
    )

    await follower.assertCurrent()
    const { messages: now } = await ben.succeed('GET /messages', { anchor: 'newest', num_before: 2, num_after: 0 })
    for (const { flags } of now) assert.ok(flags.includes('read'))
  })
}

test('an edit that removes a mention and a concurrent unsubscription do not deadlock', async () => {
  const { chat, ben, messages } = await startTalk()
  const [, messageId = 0] = messages
  const leavingUser = await actorOf(chat, ben)
  const { transaction } = chat.app.services
  // After a deadlock one of the two transactions would start again.
  let startedCount = 0

  let leaving: Promise<unknown> | undefined
  await transaction(async (tx) => {
    startedCount += 1
    await saveMentions(tx, messageId, await findNoticeMentions(tx.db, chat.realm.id, 'two'))
    leaving ??= transaction(async (other) => {
      startedCount += 1
      // On a slow machine, this transaction may wait longer than the usual limit, and would start again.
      if (onPostgres) await other.db.executeQuery(CompiledQuery.raw('set local lock_timeout = 0'))
      return unsubscribeAndNotify(other, leavingUser, ['design'])
    })
    await sleep(A_WHILE)
    await lockMessageIds(tx)
  })
  await leaving

  assert.equal(startedCount, 2)
})
