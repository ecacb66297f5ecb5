import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saveSubscriptions } from '#channels/subscriptions.ts'
import { saveUser } from '#people/user-queries.ts'
import { Role } from '#rules/role.ts'
import { countStatements } from '../../test/count-statements.ts'
import { onPostgres } from '../../test/database.ts'
import { type Chat, startChat } from '../../test/harness.ts'

const skip = onPostgres && 'statements are counted on SQLite'

async function manyUsers(chat: Chat, count: number): Promise<number[]> {
  const ids: number[] = []
  await chat.app.services.transaction(async (tx) => {
    for (let number = 0; number < count; number++) {
      const name = `user${number}`
      const user = { realmId: chat.realm.id, deliveryEmail: `${name}@example.com`, fullName: name, role: Role.member }
      ids.push((await saveUser(tx, user)).id)
    }
  })
  return ids
}

test('a thousand users leave fifty channels, with unread messages in each, in a few dozen statements', {
  skip,
}, async () => {
  const chat = await startChat()
  await chat.change({ send_channel_removal_notices: false })
  const ada = await chat.user('ada', { role: Role.administrator })
  const principals = await manyUsers(chat, 1000)
  const subscriptions = Array.from({ length: 50 }, (_, number) => `channel ${number}`)
  for (const name of subscriptions) {
    const { id: channelId } = await chat.channel(name, [ada])
    await chat.app.services.transaction((tx) =>
      saveSubscriptions(
        tx,
        principals.map((userId) => ({ userId, channelId, color: '#76ce90' })),
      ),
    )
    await ada.succeed('POST /messages', { type: 'channel', to: name, topic: 'news', content: 'hello' })
  }

  const statements = await countStatements(() =>
    ada.succeed('DELETE /users/me/subscriptions', { subscriptions, principals }),
  )

  assert.ok(statements < 60, `${statements} statements`)
  const { db } = chat.app.services
  const unread = await db
    .selectFrom('userMessages')
    .select(db.fn.countAll<number>().as('count'))
    .where('userId', 'in', principals)
    .where('flags', '=', 0)
    .executeTakeFirstOrThrow()
  assert.equal(unread.count, 0)
})
