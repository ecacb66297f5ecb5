import assert from 'node:assert/strict'
import { createECDH } from 'node:crypto'
import { cp } from 'node:fs/promises'
import { test } from 'node:test'
import { type App, openApp } from '#app.ts'
import { completeSettings, readSettings } from '#config.ts'
import { type Clock, systemClock, testClock } from '#lib/clock.ts'
import { openLog } from '#lib/log.ts'
import { savePushSubscription } from '#messages/notification-queues.ts'
import { createOrganization } from '#organizations/create-organization.ts'
import { issueApiKey } from '#people/api-keys.ts'
import { MIN_PASSWORD_COST } from '#people/password-hashes.ts'
import { saveSession } from '#people/sessions.ts'
import { saveUser } from '#people/user-queries.ts'
import { Role } from '#rules/role.ts'
import { inject } from '../../../test/inject.ts'
import { temporaryFolder } from '../../../test/storage.ts'
import { startWebhookReceiver, status } from '../../../test/webhook-receiver.ts'

async function open(folder: string, clock: Clock = systemClock()): Promise<App> {
  const paths = { DATABASE_URL: `${folder}/parley.db`, DATA_DIR: folder, EXTERNAL_URL: 'http://parley.test' }
  const settings = completeSettings({ ...readSettings({ OUTGOING_WEBHOOK_PRIVATE_HOSTS: '["127.0.0.1"]' }), ...paths })
  return openApp({ settings, clock, log: openLog('silent'), passwordCost: MIN_PASSWORD_COST })
}

/** Lets Ada send a message to Ben, who has a browser with this push address. */
async function messageBen({ services, http }: App, endpoint: string): Promise<void> {
  const keys = createECDH('prime256v1')
  keys.generateKeys()
  const authorization = await services.transaction(async (tx) => {
    const realm = await createOrganization(tx, '', 'Example')
    const enrol = (name: string) =>
      saveUser(tx, { realmId: realm.id, deliveryEmail: `${name}@example.com`, fullName: name, role: Role.owner })
    const [ada, ben] = [await enrol('ada'), await enrol('ben')]
    const session = { userId: ben.id, hash: 'hash', isKept: true, openedAt: tx.now, expiresAt: tx.now + 86_400 }
    const { id: sessionId } = await saveSession(tx, session)
    const auth = Buffer.alloc(16).toString('base64url')
    const p256dh = keys.getPublicKey('base64url')
    await savePushSubscription(tx, { sessionId, userId: ben.id, endpoint, p256dh, auth })
    return `Basic ${Buffer.from(`ada@example.com:${await issueApiKey(tx, ada.id, 'test')}`).toString('base64')}`
  })
  const headers = { host: 'parley.test', authorization, 'content-type': 'application/x-www-form-urlencoded' }
  const payload = `type=direct&to=${encodeURIComponent('["ben@example.com"]')}&content=hi`
  const { statusCode, body } = await inject(http, { method: 'POST', url: '/api/v1/messages', headers, payload })
  assert.equal(statusCode, 200, body)
}

test('a notification that was being sent when the server was killed is sent after the next start, signed by the same key', async () => {
  const [folder, copy] = [await temporaryFolder(), await temporaryFolder()]
  const receiver = await startWebhookReceiver()
  const arrival = Promise.withResolvers<void>()
  receiver.behave(() => arrival.resolve())
  // The clock is stopped, so that this server does not try again.
  await using app = await open(folder, testClock(Date.now() / 1000))
  await messageBen(app, receiver.url)
  await arrival.promise
  for (const file of ['parley.db', 'parley.db-wal', 'secret']) await cp(`${folder}/${file}`, `${copy}/${file}`)

  receiver.behave(status(201))
  await using again = await open(copy)
  await again.jobs.push.settled()

  const keys = receiver.received.map(({ headers }) => headers.authorization?.split('k=')[1])
  assert.equal(keys.length, 2)
  assert.equal(keys[0], keys[1])
  assert.deepEqual(await again.services.db.selectFrom('pushNotices').selectAll().execute(), [])
})
