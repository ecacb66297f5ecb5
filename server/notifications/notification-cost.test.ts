import assert from 'node:assert/strict'
import { test } from 'node:test'
import { savePushSubscription } from '#messages/notification-queues.ts'
import { saveSession } from '#people/sessions.ts'
import { Role } from '#rules/role.ts'
import { countStatements } from '../../test/count-statements.ts'
import { onPostgres } from '../../test/database.ts'
import { type Person, startChat } from '../../test/harness.ts'
import { followsNothing, sendToChannel } from '../../test/messages.ts'

const skip = onPostgres && 'statements are counted on SQLite'

test('emails cost no statements if no user wants them, and as many for thirty users as for one', {
  skip,
}, async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { settings: followsNothing })
  const others: Person[] = []
  for (let number = 1; number <= 30; number += 1)
    others.push(await chat.user(`user${number}`, { settings: followsNothing }))
  const alone = await chat.channel('alone', [ada])
  const full = await chat.channel('full', [ada, ...others])
  const cost = async (channel: { name: string }, content: string) => {
    await sendToChannel(ada, channel, content)
    return countStatements(() => sendToChannel(ada, channel, content))
  }

  const plain = await cost(full, 'hello')
  const toOne = await cost(full, '@**User1**')
  const toAll = await cost(full, others.map((_, index) => `@**User${index + 1}**`).join(' '))

  assert.equal(plain, await cost(alone, 'hello'))
  assert.equal(toAll, toOne)
})

test('push notifications cost as many statements for thirty users as for one', { skip }, async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner, settings: followsNothing })
  const others: Person[] = []
  for (let number = 1; number <= 30; number += 1) others.push(await chat.user(`user${number}`))
  const [few, full] = [
    await chat.channel('few', [ada, ...others.slice(0, 1)]),
    await chat.channel('full', [ada, ...others]),
  ]
  await chat.app.jobs.push.close()
  await chat.app.services.transaction(async (tx) => {
    for (const { id: userId } of others) {
      const times = { openedAt: tx.now, expiresAt: tx.now + 60 }
      const session = await saveSession(tx, { userId, hash: `${userId}`, isKept: true, ...times })
      const keys = { endpoint: `https://push.example.org/${userId}`, p256dh: '', auth: '' }
      await savePushSubscription(tx, { sessionId: session.id, userId, ...keys })
    }
  })
  const cost = async (channel: { name: string }) => {
    await sendToChannel(ada, channel, '@**all**')
    return countStatements(() => sendToChannel(ada, channel, '@**all**'))
  }

  assert.equal(await cost(full), await cost(few))

  const scheduled = await chat.app.services.db.selectFrom('pushNotices').selectAll().execute()
  assert.equal(scheduled.length, 62)
})
