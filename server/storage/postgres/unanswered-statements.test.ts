import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openLog } from '#lib/log.ts'
import { onPostgres } from '../../../test/database.ts'
import { startChat } from '../../../test/harness.ts'
import { connectTo, waitUntil } from '../../../test/nodes/node-storage.ts'

const skip = !onPostgres && 'needs PostgreSQL'

const WAITING = `from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`

/** Starts a server and locks its table `messages`. `send` sends a message. */
async function startLocked() {
  const chat = await startChat({ log: openLog('silent') })
  const ada = await chat.user('ada')
  const administrator = await connectTo(chat.settings.DATABASE_URL)
  await administrator.query('begin; lock table messages in exclusive mode')
  const send = () =>
    chat.request({
      method: 'POST',
      path: '/api/v1/messages',
      headers: {
        authorization: `Basic ${Buffer.from(`${ada.email}:${ada.apiKey}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: String(new URLSearchParams({ type: 'direct', to: `[${ada.id}]`, content: 'hello' })),
    })
  return { administrator, send }
}

test('a request whose statement a database administrator cancels gets 503 with Retry-After', {
  skip,
}, async () => {
  const { administrator, send } = await startLocked()
  await using observer = administrator

  const sending = send()
  await waitUntil(async () => (await observer.query(`select 1 ${WAITING}`)).rows.length > 0)
  await observer.query(`select pg_cancel_backend(pid) ${WAITING}`)
  const answer = await sending
  await observer.query('rollback')
  const later = await send()

  assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '2'])
  assert.equal(later.status, 200)
})

test('a request that waits for a lock finally gets 503 with Retry-After, or succeeds when the lock is free', {
  skip,
}, async () => {
  const { administrator, send } = await startLocked()
  await using observer = administrator

  const answer = await send()
  const sending = send()
  await waitUntil(async () => (await observer.query(`select 1 ${WAITING}`)).rows.length > 0)
  await observer.query('rollback')
  const later = await sending

  assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '2'])
  assert.equal(later.status, 200)
})
