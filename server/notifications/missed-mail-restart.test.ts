import assert from 'node:assert/strict'
import { cp } from 'node:fs/promises'
import { test } from 'node:test'
import { type App, openApp } from '#app.ts'
import { completeSettings, readSettings } from '#config.ts'
import { type TestClock, testClock } from '#lib/clock.ts'
import { openLog } from '#lib/log.ts'
import { type Mailbox, openMailbox } from '#mail/delivery.ts'
import { findMails } from '#mail/queries.ts'
import { createOrganization } from '#organizations/create-organization.ts'
import { issueApiKey } from '#people/api-keys.ts'
import { MIN_PASSWORD_COST } from '#people/password-hashes.ts'
import { saveUser } from '#people/user-queries.ts'
import { Role } from '#rules/role.ts'
import { inject } from '../../test/inject.ts'
import { temporaryFolder } from '../../test/storage.ts'

const START = 1_900_000_000
const WAIT = 120

type Opened = { app: App; clock: TestClock; mailbox: Mailbox }

async function open(folder: string, now: number, hasRelay = true): Promise<Opened> {
  const paths = { DATABASE_URL: `${folder}/parley.db`, DATA_DIR: folder }
  const settings = completeSettings({ ...readSettings({}), ...paths, EXTERNAL_URL: 'http://parley.test' })
  const clock = testClock(now)
  const mailbox = openMailbox(clock)
  const transport = hasRelay ? { transport: mailbox } : {}
  const log = openLog('silent')
  const app = await openApp({ settings, log, clock, ...transport, passwordCost: MIN_PASSWORD_COST })
  return { app, clock, mailbox }
}

/** Creates Ada and Ben, and sends a direct message from Ada to Ben, who is away. */
async function messageBen({ services, http }: App): Promise<void> {
  const authorization = await services.transaction(async (tx) => {
    const realm = await createOrganization(tx, '', 'Example')
    const createUser = (name: string) =>
      saveUser(tx, { realmId: realm.id, deliveryEmail: `${name}@example.com`, fullName: name, role: Role.owner })
    const { id } = await createUser('ada')
    await createUser('ben')
    return `Basic ${Buffer.from(`ada@example.com:${await issueApiKey(tx, id, 'test')}`).toString('base64')}`
  })
  const headers = { host: 'parley.test', authorization, 'content-type': 'application/x-www-form-urlencoded' }
  const payload = `type=direct&to=${encodeURIComponent('["ben@example.com"]')}&content=hi`
  const { statusCode, body } = await inject(http, { method: 'POST', url: '/api/v1/messages', headers, payload })
  assert.equal(statusCode, 200, body)
}

/** Copies the current files, as if the power had failed. */
async function copyOf(folder: string): Promise<string> {
  const copy = await temporaryFolder()
  for (const file of ['parley.db', 'parley.db-wal', 'secret']) await cp(`${folder}/${file}`, `${copy}/${file}`)
  return copy
}

async function sentMails({ app, mailbox }: Opened): Promise<string[]> {
  await app.jobs.missedMail.settled()
  await app.jobs.mail.settled()
  return mailbox.mails().map(({ to, subject }) => `${to}: ${subject}`)
}

test('pending emails survive a crash and are sent when due or when a server runs again', async () => {
  const folder = await temporaryFolder()
  const { app } = await open(folder, START)
  await using _ = app
  await messageBen(app)

  const soon = await open(await copyOf(folder), START + WAIT - 1)
  await using _soon = soon.app
  const late = await open(await copyOf(folder), START + 10 * WAIT)
  await using _late = late.app
  const early = await sentMails(soon)
  await soon.clock.advance(1)

  assert.deepEqual(early, [])
  assert.deepEqual(await sentMails(soon), ['ben@example.com: Direct messages with ada'])
  assert.deepEqual(await sentMails(late), ['ben@example.com: Direct messages with ada'])
})

test('an email that was queued before a crash is sent exactly once', async () => {
  const folder = await temporaryFolder()
  const { app, clock, mailbox } = await open(folder, START)
  await using _ = app
  await messageBen(app)
  await app.jobs.missedMail.settled()
  await app.jobs.mail.close()
  await clock.advance(WAIT)
  await app.jobs.missedMail.settled()
  assert.deepEqual(mailbox.mails(), [])

  const between = await open(await copyOf(folder), START + WAIT)
  await using _between = between.app

  assert.deepEqual(await sentMails(between), ['ben@example.com: Direct messages with ada'])
  await between.clock.advance(10 * WAIT)
  assert.equal((await sentMails(between)).length, 1)
})

test('without an SMTP server nothing is kept in the outbox', async () => {
  const { app, clock } = await open(await temporaryFolder(), START, false)
  await using _ = app
  await messageBen(app)
  await app.jobs.missedMail.settled()
  const { db } = app.services
  const pending = await db.selectFrom('missedMessages').selectAll().execute()

  await clock.advance(WAIT)
  await app.jobs.missedMail.settled()

  assert.equal(pending.length, 1)
  assert.deepEqual(await db.selectFrom('missedMessages').selectAll().execute(), [])
  assert.deepEqual(await findMails(db), [])
})
