import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { openApp } from '#app.ts'
import { readSettings } from '#config.ts'
import { MIN_PASSWORD_COST } from '#people/password-hashes.ts'
import { collectLog } from '../collected-log.ts'
import { inject } from '../inject.ts'
import { takeDatabaseLock } from './database-lock.ts'
import { prepareNodes, testNodes } from './nodes.ts'

testNodes(
  'a node that receives no notifications logs it once, however many requests follow, and once more when they resume',
  async (bus) => {
    const { settings, signatures } = await prepareNodes(['ada'], bus)
    const { log, entries } = collectLog()
    await using app = await openApp({ settings: readSettings(settings), log, passwordCost: MIN_PASSWORD_COST })
    const call = async (method: 'GET' | 'POST', url: string) => {
      const headers = { host: 'localhost:9991', authorization: signatures[0] }
      return (await inject(app.http, { method, url: `/api/v1${url}`, headers })).json()
    }
    const { queue_id, last_event_id } = await call('POST', '/register')

    const letIn = await takeDatabaseLock(settings['DATABASE_URL'] ?? '')
    while (await app.storage.isReady()) await sleep(10)
    for (let polls = 0; polls < 25; polls++) {
      const poll = `/events?queue_id=${queue_id}&last_event_id=${last_event_id}&dont_block=true`
      assert.equal((await call('GET', poll)).result, 'success')
      await sleep(100)
    }
    await letIn()
    while (!(await app.storage.isReady())) await sleep(10)

    const events = entries.filter(({ message }) => message !== 'request').map(({ message }) => message)
    assert.match(
      events.shift() ?? '',
      /lock on the database was lost.* nothing is written.*Check whether PostgreSQL is running/,
    )
    assert.deepEqual(events, ['The lock on the database is held again'])
  },
)
