import assert from 'node:assert/strict'
import { test } from 'node:test'
import { programVersion, versionDetails } from '#lib/process.ts'
import { startChat } from '../../test/harness.ts'
import { openTestStorage } from '../../test/storage.ts'
import { Departure, healthPage } from './server.ts'

test('the health page confirms that the database can be read and written', async () => {
  const chat = await startChat()

  const ready = await chat.request({ method: 'GET', path: '/health' })
  const head = await chat.request({ method: 'HEAD', path: '/health' })

  assert.deepEqual(
    [ready.status, ready.body, ready.headers['cache-control']],
    [200, `ok\nParley ${programVersion}\n${versionDetails}\n`, 'no-store'],
  )
  assert.deepEqual([head.status, head.body], [200, ''])
})

test('while the database is unavailable, the health page responds 503, but no supervisor is asked to restart', async () => {
  const storage = await openTestStorage()
  const ask = healthPage(storage, () => [])
  await storage.close()

  const ready = await ask({ method: 'GET', path: '/health' })
  const live = await ask({ method: 'GET', path: '/health/live' })

  assert.deepEqual([ready?.status, live?.status], [503, 200])
})

test('the health page names failing jobs, and still responds 200', async () => {
  const storage = await openTestStorage()
  const ask = healthPage(storage, () => [{ what: 'The job mail', since: 1893837600 }])

  const response = await ask({ method: 'GET', path: '/health' })

  assert.equal(response?.status, 200)
  assert.equal(
    response?.body,
    `ok\nParley ${programVersion}\n${versionDetails}\nThe job mail has been failing since 2030-01-05T10:00:00.000Z\n`,
  )
})

test('a node that stops says so to a proxy that checks it, for some time, and stops at once without a proxy', async () => {
  const storage = await openTestStorage()
  const [checked, unchecked] = [new Departure(200), new Departure(60_000)]
  const ask = healthPage(storage, () => [], checked)

  const before = await ask({ method: 'GET', path: '/health' })
  const leaving = checked.leave().then(() => 'left')
  const meanwhile = await ask({ method: 'GET', path: '/health' })
  const state = await Promise.race([leaving, Promise.resolve('still there')])
  await unchecked.leave()

  assert.equal(before?.status, 200)
  assert.equal(meanwhile?.status, 404)
  assert.match(String(meanwhile?.body), /^This node is stopping\n/)
  assert.equal(state, 'still there')
  assert.equal(await leaving, 'left')
})
