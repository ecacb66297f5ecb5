import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type KillableServer, startKillableServer } from '../../test/killable-server.ts'
import { temporaryFolder } from '../../test/storage.ts'
import { openApp } from '../app.ts'
import { openLog } from '../base/log.ts'
import { completeSettings, readSettings } from '../config.ts'
import { createOrganization } from '../organizations/create-organization.ts'
import { issueApiKey } from '../users/api-keys.ts'
import { LEAST_PASSWORD_COST } from '../users/passwords.ts'
import { saveUser } from '../users/queries.ts'
import { Role } from '../users/role.ts'

/** Makes a database with an organization of one person; how they sign their requests. */
async function prepare(folder: string): Promise<string> {
  const paths = { DATABASE_URL: `${folder}/parley.db`, DATA_DIR: folder }
  const settings = completeSettings({ ...readSettings({}), ...paths })
  await using app = await openApp({ settings, log: openLog('silent'), passwordCost: LEAST_PASSWORD_COST })
  return app.services.transaction(async (tx) => {
    const realm = await createOrganization(tx, '', 'Example')
    const ada = { deliveryEmail: 'ada@example.com', fullName: 'Ada', role: Role.owner }
    const { id } = await saveUser(tx, { realmId: realm.id, ...ada })
    return `Basic ${Buffer.from(`ada@example.com:${await issueApiKey(tx, id, 'test')}`).toString('base64')}`
  })
}

// biome-ignore lint/suspicious/noExplicitAny: the test reads whatever field it is about
type Call = (method: 'GET' | 'POST', path: string, params: Record<string, string>) => Promise<any>

const caller =
  ({ url }: KillableServer, authorization: string): Call =>
  async (method, path, params) => {
    const form = new URLSearchParams(params)
    const inQuery = method === 'GET'
    const address = `${url}/api/v1/${path}${inQuery ? `?${form}` : ''}`
    const answer = await fetch(address, { method, headers: { authorization }, ...(inQuery ? {} : { body: form }) })
    return answer.json()
  }

const COUNT = 40

test('a queue goes on after a crash amid sending and polling: nothing that was acknowledged is missed, or heard twice', async () => {
  const folder = await temporaryFolder()
  const ada = await prepare(folder)
  const before = await startKillableServer(folder)
  let call = caller(before, ada)
  const { queue_id } = await call('POST', 'register', { event_types: '["message"]' })
  const [sent, heard, ids] = [[] as number[], [] as number[], [-1]]
  const send = async () => {
    const { id } = await call('POST', 'messages', { type: 'direct', to: '["ada@example.com"]', content: 'hello' })
    sent.push(id)
  }
  const poll = async () => {
    const { events } = await call('GET', 'events', { queue_id, last_event_id: String(ids.at(-1)) })
    for (const { id, message } of events) {
      ids.push(id)
      if (message !== undefined) heard.push(message.id)
    }
  }

  const sending = (async () => {
    for (;;) await send()
  })().catch(() => {})
  while (heard.length < COUNT) await poll()
  const polling = poll().catch(() => {})
  await before.kill()
  await Promise.all([sending, polling])
  const after = await startKillableServer(folder)
  call = caller(after, ada)
  await send()
  while (heard.at(-1) !== sent.at(-1)) await poll()
  await after.kill()

  assert.ok(sent.length > COUNT)
  assert.deepEqual(
    sent.filter((id) => !heard.includes(id)),
    [],
  )
  assert.deepEqual(
    heard,
    [...new Set(heard)].sort((one, other) => one - other),
  )
  assert.deepEqual(
    ids,
    [...new Set(ids)].sort((one, other) => one - other),
  )
})
