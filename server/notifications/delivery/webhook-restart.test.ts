import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type App, type AppOptions, openApp } from '#app.ts'
import { completeSettings, readSettings } from '#config.ts'
import { testClock } from '#lib/clock.ts'
import { openLog } from '#lib/log.ts'
import { MIN_PASSWORD_COST } from '#people/password-hashes.ts'
import { options, prepareNodes } from '../../../test/nodes/nodes.ts'
import { callServer } from '../../../test/processes/call-server.ts'
import {
  createOrganizationIn,
  type KillableServer,
  startKillableServer,
} from '../../../test/processes/killable-server.ts'
import { temporaryFolder } from '../../../test/storage.ts'
import { startWebhookReceiver } from '../../../test/webhook-receiver.ts'

/** The server waits for a receiver for a minute. */
const settings = { OUTGOING_WEBHOOK_PRIVATE_HOSTS: '["127.0.0.1"]', OUTGOING_WEBHOOK_TIMEOUT_SECONDS: '60' }
const hook = { full_name: 'Hook', short_name: 'hook', bot_type: 3 }

/** Creates a bot with a receiver at this address, and sends these messages to it. */
async function ask(server: KillableServer, ada: string, url: string, contents: readonly string[]): Promise<void> {
  const { user_id } = await callServer(server, ada, 'POST /bots', { ...hook, payload_url: url })
  const to = JSON.stringify([user_id])
  for (const content of contents) await callServer(server, ada, 'POST /messages', { type: 'direct', to, content })
}

async function openAppHere(folder: string, options: Partial<AppOptions> = {}): Promise<App> {
  const paths = { DATABASE_URL: `${folder}/parley.db`, DATA_DIR: folder }
  const own = completeSettings({ ...readSettings(settings), ...paths })
  return openApp({ settings: own, log: openLog('silent'), passwordCost: MIN_PASSWORD_COST, ...options })
}

const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise((wait) => setTimeout(wait, 20))
}

test('a call is repeated when the server is killed while it waits for the receiver', async () => {
  const folder = await temporaryFolder()
  const ada = await createOrganizationIn(folder)
  const receiver = await startWebhookReceiver()
  receiver.behave(() => {})
  const server = await startKillableServer(folder, settings)
  await ask(server, ada, receiver.url, ['one', 'two'])
  await until(() => receiver.received.length === 1)
  const clock = testClock(Date.now() / 1000)
  await server.kill()

  receiver.behave({ content: 'received' })
  await using app = await openAppHere(folder, { clock })
  await app.jobs.webhooks.settled()
  const atOnce = receiver.received.length
  await clock.advance(80)
  await app.jobs.webhooks.settled()

  const sent = await app.services.db.selectFrom('messages').select('content').orderBy('id').execute()
  assert.equal(atOnce, 1)
  assert.deepEqual(
    receiver.payloads().map(({ message }) => message.content),
    ['one', 'one', 'two'],
  )
  assert.equal(new Set(receiver.payloads().map(({ message }) => message.id)).size, 2)
  assert.deepEqual(
    sent.map(({ content }) => content),
    ['one', 'two', 'received', 'received'],
  )
})

test('a server that stops waits for the receiver only briefly, and the next one repeats the call at once', async () => {
  const folder = await temporaryFolder()
  const ada = await createOrganizationIn(folder)
  const receiver = await startWebhookReceiver()
  receiver.behave(() => {})
  const server = await startKillableServer(folder, settings)
  await ask(server, ada, receiver.url, ['one'])
  await until(() => receiver.received.length === 1)

  const before = performance.now()
  process.kill(server.pid ?? 0, 'SIGTERM')
  await server.ended
  const took = performance.now() - before
  receiver.behave({})
  await using app = await openAppHere(folder)
  await app.jobs.webhooks.settled()

  assert.ok(took < 50_000, `${took} ms`)
  assert.equal(receiver.received.length, 2)
  assert.deepEqual(await app.services.db.selectFrom('webhookCalls').selectAll().execute(), [])
})

test(
  'the leading node calls the webhooks of all nodes, and the next leader continues when it is killed',
  options,
  async () => {
    const { settings: shared, signatures, sql, leader } = await prepareNodes(['ada'])
    const [ada = ''] = signatures
    const receiver = await startWebhookReceiver()
    const folder = shared['DATA_DIR'] ?? ''
    const nodes = [await startKillableServer(folder, { ...shared, ...settings })]
    nodes.push(await startKillableServer(folder, { ...shared, ...settings }))
    const first = await leader(nodes)
    const other = nodes.find((node) => node !== first) ?? assert.fail()
    await ask(other, ada, receiver.url, ['one'])
    await until(() => receiver.received.length === 1)
    while ((await sql.query('select 1 from "webhookCalls"')).rowCount !== 0)
      await new Promise((wait) => setTimeout(wait, 20))
    await first.kill()
    await callServer(other, ada, 'POST /messages', { type: 'direct', to: ['hook-bot@localhost'], content: 'two' })
    await until(() => receiver.received.length === 2)

    assert.deepEqual(
      receiver.payloads().map(({ message }) => message.content),
      ['one', 'two'],
    )
  },
)
