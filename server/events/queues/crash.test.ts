import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createOrganizationIn,
  type KillableServer,
  startKillableServer,
} from '../../../test/processes/killable-server.ts'
import { temporaryFolder } from '../../../test/storage.ts'

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

test('a queue continues after a crash during sending and polling: no confirmed message is missing or repeated', async () => {
  const folder = await temporaryFolder()
  const ada = await createOrganizationIn(folder)
  const before = await startKillableServer(folder)
  let call = caller(before, ada)
  const { queue_id } = await call('POST', 'register', { event_types: '["message"]' })
  const [sent, received, ids] = [[] as number[], [] as number[], [-1]]
  const send = async () => {
    const { id } = await call('POST', 'messages', { type: 'direct', to: '["ada@example.com"]', content: 'hello' })
    sent.push(id)
  }
  const poll = async () => {
    const { events } = await call('GET', 'events', { queue_id, last_event_id: String(ids.at(-1)) })
    for (const { id, message } of events) {
      ids.push(id)
      if (message !== undefined) received.push(message.id)
    }
  }

  const sending = (async () => {
    for (;;) await send()
  })().catch(() => {})
  while (received.length < COUNT) await poll()
  const polling = poll().catch(() => {})
  await before.kill()
  await Promise.all([sending, polling])
  const after = await startKillableServer(folder)
  call = caller(after, ada)
  await send()
  while (received.at(-1) !== sent.at(-1)) await poll()
  await after.kill()

  // The crash may have come before the sender got the response for the last message.
  assert.ok(sent.length >= COUNT)
  assert.deepEqual(
    sent.filter((id) => !received.includes(id)),
    [],
  )
  assert.deepEqual(
    received,
    [...new Set(received)].sort((one, other) => one - other),
  )
  assert.deepEqual(
    ids,
    [...new Set(ids)].sort((one, other) => one - other),
  )
})
