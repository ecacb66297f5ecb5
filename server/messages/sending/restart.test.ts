import assert from 'node:assert/strict'
import { cp } from 'node:fs/promises'
import { test } from 'node:test'
import { type App, openApp } from '#app.ts'
import { completeSettings, readSettings } from '#config.ts'
import { type TestClock, testClock } from '#lib/clock.ts'
import { openLog } from '#lib/log.ts'
import { createOrganization } from '#organizations/create-organization.ts'
import { issueApiKey } from '#people/api-keys.ts'
import { MIN_PASSWORD_COST } from '#people/password-hashes.ts'
import { saveUser } from '#people/user-queries.ts'
import { Role } from '#rules/role.ts'
import { inject } from '../../../test/inject.ts'
import { temporaryFolder } from '../../../test/storage.ts'

const START = 1_900_000_000
const MINUTE = 60
const HOUR = 3600

async function open(folder: string, now: number): Promise<{ app: App; clock: TestClock }> {
  const paths = { DATABASE_URL: `${folder}/parley.db`, DATA_DIR: folder }
  const settings = completeSettings({ ...readSettings({}), ...paths, EXTERNAL_URL: 'http://parley.test' })
  const clock = testClock(now)
  const app = await openApp({ settings, log: openLog('silent'), clock, passwordCost: MIN_PASSWORD_COST })
  await app.jobs.scheduledMessages.settled()
  return { app, clock }
}

/** Schedules a message from a user to themselves, or a reminder of such a message, ten minutes after the start. */
async function scheduleOne({ services, http, jobs }: App, isReminder = false): Promise<void> {
  const authorization = await services.transaction(async (tx) => {
    const realm = await createOrganization(tx, '', 'Example')
    const ada = { deliveryEmail: 'ada@example.com', fullName: 'Ada', role: Role.owner }
    const { id } = await saveUser(tx, { realmId: realm.id, ...ada })
    return `Basic ${Buffer.from(`ada@example.com:${await issueApiKey(tx, id, 'test')}`).toString('base64')}`
  })
  const ask = async (method: 'GET' | 'POST', url: string, payload?: string) => {
    const headers = { host: 'parley.test', authorization, 'content-type': 'application/x-www-form-urlencoded' }
    return (await inject(http, { method, url: `/api/v1/${url}`, headers, ...(payload && { payload }) })).json()
  }
  const { user_id } = await ask('GET', 'users/me')
  const time = START + 10 * MINUTE
  const to = `type=direct&to=[${user_id}]`
  if (isReminder) {
    const { id } = await ask('POST', 'messages', `${to}&content=hello`)
    await ask('POST', 'reminders', `message_id=${id}&scheduled_delivery_timestamp=${time}`)
  } else await ask('POST', 'scheduled_messages', `${to}&content=hi&scheduled_delivery_timestamp=${time}`)
  await jobs.scheduledMessages.settled()
}

/** Copies the current files, as if the power had failed. */
async function copyOf(folder: string): Promise<string> {
  const copy = await temporaryFolder()
  for (const file of ['parley.db', 'parley.db-wal']) await cp(`${folder}/${file}`, `${copy}/${file}`)
  return copy
}

async function contents({ services }: App): Promise<string[]> {
  const rows = await services.db.selectFrom('messages').select('content').orderBy('id').execute()
  return rows.map((row) => row.content)
}

test('a scheduled message survives a crash and is sent at its time', async () => {
  const folder = await temporaryFolder()
  const { app } = await open(folder, START)
  await using _ = app
  await scheduleOne(app)

  const after = await open(await copyOf(folder), START + MINUTE)
  await using restarted = after.app
  const early = await contents(restarted)
  await after.clock.advance(9 * MINUTE)

  assert.deepEqual(early, [])
  assert.deepEqual(await contents(restarted), ['hi'])
})

test('a sent message is not sent again after a crash', async () => {
  const folder = await temporaryFolder()
  const { app, clock } = await open(folder, START)
  await using _ = app
  await scheduleOne(app)
  await clock.advance(10 * MINUTE)

  const { app: restarted } = await open(await copyOf(folder), START + 11 * MINUTE)
  await using _after = restarted

  assert.deepEqual(await contents(restarted), ['hi'])
})

test('a message that became due while the server was down is sent at once after some minutes, but not after an hour', async () => {
  const folder = await temporaryFolder()
  const { app } = await open(folder, START)
  await using _ = app
  await scheduleOne(app)

  const { app: soon } = await open(await copyOf(folder), START + 19 * MINUTE)
  await using _soon = soon
  const { app: late } = await open(await copyOf(folder), START + HOUR)
  await using _late = late

  assert.deepEqual(await contents(soon), ['hi'])
  assert.match(
    (await contents(late)).join(),
    /^The message you scheduled .+ could not be sent at the scheduled time\./s,
  )
})

test('a reminder that became due while the server was down is sent once, however late', async () => {
  const folder = await temporaryFolder()
  const { app } = await open(folder, START)
  await using _ = app
  await scheduleOne(app, true)

  const { app: late } = await open(await copyOf(folder), START + 24 * HOUR)
  await using _late = late
  await late.jobs.scheduledMessages.settled()

  const [own, reminder, ...others] = await contents(late)
  assert.deepEqual([own, others], ['hello', []])
  assert.match(reminder ?? '', /^You asked for a reminder of .+\n\n```quote\nhello\n```$/s)
})
