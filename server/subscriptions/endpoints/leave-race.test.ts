import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Chat, type Person, startChat } from '../../../test/harness.ts'
import { prepareThreadNotice } from '../../messages/sending/notices.ts'
import { saveMessage } from '../../messages/sending/send-message.ts'
import type { Transaction } from '../../storage/storage.ts'
import { findUser } from '../../users/queries.ts'
import type { Actor } from '../../users/user.ts'
import { leaveChannels } from './leave-channels.ts'

/** Long enough for a request to end that waits for nothing. */
const A_WHILE = 150

/** Does `work` in a transaction that stays open while `other` is begun, and for a while after. */
async function during<Result>(
  chat: Chat,
  work: (tx: Transaction) => Promise<Result>,
  other: () => Promise<unknown>,
): Promise<Result> {
  const [done, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const working = chat.app.services.transaction(async (tx) => {
    const result = await work(tx)
    done.resolve()
    await over.promise
    return result
  })
  await done.promise
  const waiting = other()
  await sleep(A_WHILE)
  over.resolve()
  await waiting
  return working
}

const typesToldTo = async (chat: Chat, person: Person) => (await chat.toldTo(person)).map((event) => event.type)

test('what is being sent while somebody leaves comes before they have left, and is read', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const design = await chat.channel('design', [ben])
  const notice = { channel: design, topic: 'news', content: 'hello' }

  const { id } = await during(
    chat,
    async (tx) => saveMessage(tx, await prepareThreadNotice(tx.db, chat.realm, notice)),
    () => ben.succeed('DELETE /users/me/subscriptions', { subscriptions: ['design'] }),
  )

  assert.deepEqual((await ben.succeed(`GET /messages/${id}`))['message'].flags, ['read'])
  assert.deepEqual(await typesToldTo(chat, ben), ['message', 'subscription', 'update_message_flags'])
})

test('what is sent while somebody is leaving does not reach them', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  await chat.channel('design', [ada, ben], { isPrivate: true })
  const leaver: Actor = { ...(await findUser(chat.app.services.db, ben.id))!, realm: chat.realm }

  await during(
    chat,
    (tx) => leaveChannels(tx, leaver, ['design']),
    () => ada.succeed('POST /messages', { type: 'channel', to: 'design', topic: 'news', content: 'hello' }),
  )

  assert.deepEqual(await typesToldTo(chat, ben), ['subscription', 'stream'])
})
