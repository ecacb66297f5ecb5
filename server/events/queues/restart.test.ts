import assert from 'node:assert/strict'
import { cp } from 'node:fs/promises'
import { test } from 'node:test'
import { type App, openApp } from '#app.ts'
import { completeSettings, readSettings } from '#config.ts'
import { testClock } from '#lib/clock.ts'
import { openLog } from '#lib/log.ts'
import { createOrganization } from '#organizations/create-organization.ts'
import { issueApiKey } from '#people/api-keys.ts'
import { MIN_PASSWORD_COST } from '#people/password-hashes.ts'
import { saveUser } from '#people/user-queries.ts'
import { Role } from '#rules/role.ts'
import { inject } from '../../../test/inject.ts'
import { temporaryFolder } from '../../../test/storage.ts'

const HOUR = 3600

function open(folder: string, now: number): Promise<App> {
  const paths = { DATABASE_URL: `${folder}/parley.db`, DATA_DIR: folder }
  const settings = completeSettings({ ...readSettings({}), ...paths, EXTERNAL_URL: 'http://parley.test' })
  const log = openLog('silent')
  return openApp({ settings, log, clock: testClock(now), passwordCost: MIN_PASSWORD_COST })
}

/** Creates an organization with one user, and returns the user's authorization header. */
function enrol({ services }: App): Promise<string> {
  return services.transaction(async (tx) => {
    const realm = await createOrganization(tx, '', 'Example')
    const ada = { deliveryEmail: 'ada@example.com', fullName: 'Ada', role: Role.owner }
    const { id } = await saveUser(tx, { realmId: realm.id, ...ada })
    const key = await issueApiKey(tx, id, 'test')
    return `Basic ${Buffer.from(`ada@example.com:${key}`).toString('base64')}`
  })
}

async function call(app: App, authorization: string, method: 'GET' | 'POST', path: string) {
  const [url, payload] = method === 'GET' ? [path] : path.split('?')
  const headers = { host: 'parley.test', authorization, 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await inject(app.http, { method, url: `/api/v1/${url}`, headers, ...(payload && { payload }) })
  return answer.json()
}

const SEND = 'messages?type=direct&to=["ada@example.com"]&content='

/**
 * Sends a message to a user with an event queue and polls for it. Returns the user, the path of further polls and the
 * event.
 */
async function receiveOne() {
  const folder = await temporaryFolder()
  const before = await open(folder, 1_900_000_000)
  const ada = await enrol(before)
  const { queue_id } = await call(before, ada, 'POST', 'register?event_types=["message"]')
  await call(before, ada, 'POST', `${SEND}one`)
  const poll = `events?queue_id=${queue_id}&last_event_id=`
  const [first] = (await call(before, ada, 'GET', `${poll}-1`)).events
  return { folder, before, ada, poll, first }
}

test('a queue continues after a restart, however long the server was down', async () => {
  const { folder, before, ada, poll, first } = await receiveOne()
  await call(before, ada, 'POST', `${SEND}two`)
  await before.close()

  await using after = await open(folder, 1_900_000_000 + HOUR)
  await call(after, ada, 'POST', `${SEND}three`)
  const { events } = await call(after, ada, 'GET', `${poll}${first.id}`)

  const said = events.map((event: { message: { content: string } }) => event.message.content)
  assert.deepEqual(said, ['two', 'three'])
})

test('an up-to-date client receives heartbeats after a restart until something happens', async () => {
  const { folder, before, ada, poll, first } = await receiveOne()
  await before.close()

  await using after = await open(folder, 1_900_000_000 + HOUR)
  const { events } = await call(after, ada, 'GET', `${poll}${first.id}&dont_block=true`)
  const waiting = call(after, ada, 'GET', `${poll}${first.id}`)
  await call(after, ada, 'POST', `${SEND}two`)

  assert.deepEqual(events, [])
  assert.deepEqual(
    (await waiting).events.map((event: { message: { content: string } }) => event.message.content),
    ['two'],
  )
})

test('a client that acknowledges an ephemeral event before a restart misses no event of the log after it', async () => {
  const folder = await temporaryFolder()
  const before = await open(folder, 1_900_000_000)
  const ada = await enrol(before)
  const { queue_id } = await call(before, ada, 'POST', 'register?event_types=["message","presence"]')
  const poll = (app: App, id: number) =>
    call(app, ada, 'GET', `events?queue_id=${queue_id}&last_event_id=${id}&dont_block=true`)
  await call(before, ada, 'POST', `${SEND}one`)
  await call(before, ada, 'POST', 'users/me/presence?status=active')
  const [, presence] = (await poll(before, -1)).events
  await poll(before, presence.id)
  await call(before, ada, 'POST', `${SEND}two`)
  await before.close()

  await using after = await open(folder, 1_900_000_000 + HOUR)
  const [two] = (await poll(after, presence.id)).events
  await call(after, ada, 'POST', 'users/me/presence?status=active')
  const [next] = (await poll(after, two.id)).events

  assert.deepEqual([two.type, next.type], ['message', 'presence'])
  assert.ok(presence.id < two.id && two.id < next.id)
})

test('a client continues with an id that an earlier version gave it, which was the id in the log', async () => {
  const folder = await temporaryFolder()
  const before = await open(folder, 1_900_000_000)
  const ada = await enrol(before)
  const { queue_id } = await call(before, ada, 'POST', 'register?event_types=["message"]')
  for (const content of ['one', 'two']) await call(before, ada, 'POST', `${SEND}${content}`)
  const [one] = await before.services.db.selectFrom('events').select('id').orderBy('id').execute()
  assert(one !== undefined)
  await before.close()

  await using after = await open(folder, 1_900_000_000 + HOUR)
  const poll = (id: number) =>
    call(after, ada, 'GET', `events?queue_id=${queue_id}&last_event_id=${id}&dont_block=true`)
  const { events } = await poll(one.id)

  assert.deepEqual(
    events.map((event: { message: { content: string } }) => event.message.content),
    ['two'],
  )
  assert.equal((await poll(events[0].id)).result, 'success')
  assert.equal((await poll(one.id)).code, 'BAD_EVENT_QUEUE_ID')
})

test('a client that is ahead of a restored log must register again', async () => {
  const folder = await temporaryFolder()
  await using app = await open(folder, 1_900_000_000)
  const ada = await enrol(app)
  const { queue_id } = await call(app, ada, 'POST', 'register?event_types=["message"]')

  const answer = await call(app, ada, 'GET', `events?queue_id=${queue_id}&last_event_id=1000&dont_block=true`)

  assert.equal(answer.code, 'BAD_EVENT_QUEUE_ID')
})

test("a client must register again even if the restored log has grown past the client's last event", async () => {
  const [folder, copy] = [await temporaryFolder(), await temporaryFolder()]
  const backedUp = await open(folder, 1_900_000_000)
  const ada = await enrol(backedUp)
  const { queue_id } = await call(backedUp, ada, 'POST', 'register?event_types=["message"]')
  await call(backedUp, ada, 'POST', `${SEND}kept`)
  await backedUp.close()
  await cp(folder, copy, { recursive: true })
  const lost = await open(folder, 1_900_000_000 + HOUR)
  await call(lost, ada, 'POST', `${SEND}lost`)
  const { events } = await call(lost, ada, 'GET', `events?queue_id=${queue_id}&last_event_id=-1&dont_block=true`)
  await lost.close()

  await using restored = await open(copy, 1_900_000_000 + 2 * HOUR)
  for (const content of ['one', 'two', 'three']) await call(restored, ada, 'POST', `${SEND}${content}`)
  const poll = (id: number) =>
    call(restored, ada, 'GET', `events?queue_id=${queue_id}&last_event_id=${id}&dont_block=true`)

  const [kept, gone] = events as { id: number }[]
  assert.equal((await poll(gone?.id ?? 0)).code, 'BAD_EVENT_QUEUE_ID')
  assert.equal((await poll(kept?.id ?? 0)).events.length, 3)
})

test('a server that stops answers its pending polls', async () => {
  const app = await open(await temporaryFolder(), 1_900_000_000)
  const ada = await enrol(app)
  const { queue_id } = await call(app, ada, 'POST', 'register?event_types=["message"]')

  const poll = call(app, ada, 'GET', `events?queue_id=${queue_id}&last_event_id=-1`)
  // By the time this poll is answered, the first poll is pending.
  const later = await call(app, ada, 'POST', 'register?event_types=["message"]')
  await call(app, ada, 'GET', `events?queue_id=${later.queue_id}&dont_block=true`)
  await app.close()

  assert.deepEqual(
    (await poll).events.map(({ type }: { type: string }) => type),
    ['heartbeat'],
  )
})
