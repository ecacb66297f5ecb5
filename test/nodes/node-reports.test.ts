import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openApp } from '#app.ts'
import { readSettings } from '#config.ts'
import { openLog } from '#lib/log.ts'
import { MIN_PASSWORD_COST } from '#people/password-hashes.ts'
import { options, prepareNodes } from './nodes.ts'

test('each node shows all nodes, and what the jobs of the leader have done', options, async () => {
  const { settings, sql } = await prepareNodes(['ada'])
  const ended = { ...JSON.parse(EMPTY), reportedAt: 1000 }
  await sql.query('insert into installation (name, value) values ($1, $2)', ['node ended', JSON.stringify(ended)])
  const open = () =>
    openApp({ settings: readSettings(settings), log: openLog('error'), passwordCost: MIN_PASSWORD_COST })
  await using one = await open()
  await using other = await open()
  for (const app of [one, other]) app.services.health.start()

  const seenBy = async (app: typeof one) => {
    for (;;) {
      const nodes = await app.services.health.nodes()
      if (nodes.length > 1) return nodes
      await sleep(20)
    }
  }
  const [first, second] = [await seenBy(one), await seenBy(other)]

  assert.equal(first.length, 2)
  assert.equal(second.length, 2)
  assert.ok(second.every(({ jobs }) => 'mail' in jobs))
  const { rows } = await sql.query("select count(*)::int as count from installation where name like 'node %'")
  assert.equal(rows[0]?.count, 2)
})

const EMPTY = '{"startedAt":1,"version":"0","commit":null,"isLeader":true,"memoryBytes":1,"clients":0,"jobs":{}}'
