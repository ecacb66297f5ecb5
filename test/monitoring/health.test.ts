import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { startChat } from '../harness.ts'

test('administrators of the root organization see the server, and those of others only what is theirs', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const olga = await chat.user('olga', { role: Role.owner })
  const realm = await chat.organization('other')
  const eve = await chat.user('eve', { realm, role: Role.owner })

  const [seenByAda, seenByEve] = [await ada.succeed('GET /server/health'), await eve.succeed('GET /server/health')]
  chat.settings.DEMO_ORGANIZATIONS = true
  const seenWithDemos = [await ada.succeed('GET /server/health'), await olga.succeed('GET /server/health')]

  assert.equal(seenByAda['server'].database.is_ready, true)
  assert.deepEqual(
    seenByAda['server'].nodes.map((node: { process_id: number }) => node.process_id),
    [process.pid],
  )
  assert.ok(seenByAda['server'].jobs.some(({ name }: { name: string }) => name === 'mail'))
  assert.equal(seenByEve['server'], null)
  assert.deepEqual(
    seenWithDemos.map(({ server }) => server === null),
    [true, false],
  )
})

test('the health counts what could not be delivered, and names the failing webhooks of the own organization', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const bot = await chat.user('hook', { owner: ada, botType: 3 })
  const realm = await chat.organization('other')
  const eve = await chat.user('eve', { realm, role: Role.administrator })
  const { id: messageId } = await ada.succeed('POST /messages', { type: 'direct', to: [ada.id], content: 'hello' })
  const { transaction } = chat.app.services
  const now = chat.clock.now()
  const call = { botId: bot.id, trigger: 'mention', startedAt: now, endedAt: now, attempts: 4, status: 500, error: '' }
  await transaction(async (tx) => {
    for (const outcome of ['answered', 'failed'])
      await tx
        .insertInto('outgoingDeliveries')
        .values({ ...call, messageId, outcome })
        .execute()
  })
  await transaction(async (tx) => {
    await tx
      .insertInto('mails')
      .values({
        ...{ realmId: null, recipient: 'a@example.com', recipientKey: 'a@example.com', letter: 'no such letter' },
        ...{ data: JSON.stringify({}), messageId: 'm', createdAt: now - 3600, state: 'queued', dueAt: now + 3600 },
        attempts: 2,
      })
      .execute()
  })

  const [seen, seenByEve] = [await ada.succeed('GET /server/health'), await eve.succeed('GET /server/health')]

  assert.deepEqual(seen['organization'].failing_webhooks, [{ bot_id: bot.id, failed_at: now }])
  assert.deepEqual(seenByEve['organization'], { emails_waiting: 0, emails_deferred: 0, failing_webhooks: [] })
  assert.equal(seen['server'].emails_deferred, 1)
})
