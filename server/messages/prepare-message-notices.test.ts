import assert from 'node:assert/strict'
import test from 'node:test'
import { startChat } from '../../test/harness.ts'
import { fetchMessage } from '../../test/messages.ts'
import { silentMention } from './notice-markdown.ts'
import { prepareNotice } from './prepare-message.ts'
import { sendMessage } from './send-message.ts'

test('a notice comes from the notification bot and is one conversation with all its recipients', async () => {
  const chat = await startChat()
  await chat.change({ direct_message_permission_group: 'role:nobody' })
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const { transaction } = chat.app.services
  const mention = silentMention({ id: ada.id, fullName: 'Ada' })

  const { id } = await transaction(async (tx) => {
    const notice = await prepareNotice(tx.db, { recipientIds: [ben.id], content: `${mention} left` })
    return sendMessage(tx, notice)
  })

  const message = await fetchMessage(ben, id)
  assert.partialDeepStrictEqual(message, {
    type: 'private',
    content: `<p><span class="user-mention silent" data-user-id="${ada.id}">Ada</span> left</p>`,
    client: 'Internal',
    sender_full_name: 'Notification Bot',
    sender_realm_str: 'parley-system',
    sender_email: 'notification-bot@parley.invalid',
    flags: [],
  })
  assert.equal(message.display_recipient.length, 2)
  const [event] = await chat.eventsOf(ben)
  assert.partialDeepStrictEqual(event, { type: 'message', message: { id, recipient_id: message.recipient_id } })
})

test('users can message the notification bot by id or address, but it receives nothing', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const { db } = chat.app.services
  const bot = await db
    .selectFrom('users')
    .select('id')
    .where('fullName', '=', 'Notification Bot')
    .executeTakeFirstOrThrow()
  const send = (to: unknown) => ada.succeed('POST /messages', { type: 'direct', to, content: 'thanks' })

  const [byId, byAddress] = [await send([bot.id]), await send('notification-bot@parley.invalid')]

  assert.equal(
    (await fetchMessage(ada, byId['id'])).recipient_id,
    (await fetchMessage(ada, byAddress['id'])).recipient_id,
  )
  const holders = await db.selectFrom('userMessages').select('userId').distinct().execute()
  assert.deepEqual(holders, [{ userId: ada.id }])
})
