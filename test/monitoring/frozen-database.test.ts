import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { activeSeconds } from '../active-time.ts'
import { collectLog } from '../collected-log.ts'
import { onPostgres } from '../database.ts'
import { startChat } from '../harness.ts'
import { createDatabase, startPostgres } from '../postgres.ts'

const METRICS_TOKEN = 'a token of a monitoring'

test('while PostgreSQL is frozen, the health page and the metrics answer within seconds and say so', {
  skip: !onPostgres && 'needs PostgreSQL',
}, async () => {
  const postgres = await startPostgres()
  const url = await createDatabase(postgres.url, 'frozen')
  const chat = await startChat({ settings: { DATABASE_URL: url, METRICS_TOKEN }, log: collectLog().log })
  const ask = (path: string) =>
    chat.request({ method: 'GET', path, headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
  assert.match((await ask('/metrics')).body, /^parley_emails_deferred 0$/m)

  await postgres.freeze()
  const answers: Awaited<ReturnType<typeof ask>>[] = []
  const askBoth = async () => answers.push(...(await Promise.all([ask('/health'), ask('/metrics')])))
  const seconds: number[] = []
  // The connection that holds the lock counts as silent after a few seconds.
  do {
    seconds.push(await activeSeconds(askBoth))
  } while (answers.at(-2)?.status !== 503)
  const [health, metrics] = answers.slice(-2)
  const live = await ask('/health/live')
  postgres.thaw()
  while ((await ask('/health')).status !== 200) await sleep(50)
  const after = await ask('/metrics')
  await chat.app.close()
  await postgres.stop()

  assert.match(health?.body ?? '', /^The database does not answer$/m)
  assert.match(metrics?.body ?? '', /^parley_database_ready 0$/m)
  assert.doesNotMatch(metrics?.body ?? '', /^parley_emails_deferred/m)
  assert.equal(live.status, 200)
  assert.match(after.body, /^parley_emails_deferred 0$/m)
  assert.ok(Math.max(...seconds) < 4, `${seconds.join(', ')} s`)
})
