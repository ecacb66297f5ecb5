import assert from 'node:assert/strict'
import { copyFile } from 'node:fs/promises'
import { test } from 'node:test'
import pg from 'pg'
import { type App, openApp } from '#app.ts'
import { completeSettings, readSettings } from '#config.ts'
import { testClock } from '#lib/clock.ts'
import { openLog } from '#lib/log.ts'
import { MIN_PASSWORD_COST } from '#people/password-hashes.ts'
import { onPostgres } from '../../test/database.ts'
import { inject } from '../../test/inject.ts'
import { createOrganizationOf } from '../../test/processes/killable-server.ts'
import { sharedDatabaseUrl, temporaryFolder } from '../../test/storage.ts'

const START = 1_900_000_000

async function open(url: string, now: number): Promise<App> {
  const settings = completeSettings({ ...readSettings({}), DATABASE_URL: url, DATA_DIR: await temporaryFolder() })
  return openApp({ settings, log: openLog('silent'), clock: testClock(now), passwordCost: MIN_PASSWORD_COST })
}

/** Copies a database that is not being served; returns the URL of the copy. */
async function copyOf(url: string): Promise<string> {
  if (!onPostgres) {
    await copyFile(url, `${url}-copy`)
    return `${url}-copy`
  }
  const name = decodeURIComponent(new URL(url).pathname.slice(1))
  const elsewhere = Object.assign(new URL(url), { pathname: '/postgres' })
  const client = new pg.Client({ connectionString: elsewhere.href })
  await client.connect()
  await client.query(`create database "${name}_copy" template "${name}"`)
  await client.end()
  return Object.assign(new URL(url), { pathname: `/${name}_copy` }).href
}

/** Sends `count` messages one after another; returns their ids. */
async function send(app: App, authorization: string, count: number): Promise<number[]> {
  const ids: number[] = []
  while (ids.length < count) {
    const payload = 'type=direct&to=["ada@example.com"]&content=hello'
    const headers = { host: 'localhost:9991', authorization, 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await inject(app.http, { method: 'POST', url: '/api/v1/messages', headers, payload })
    ids.push(answer.json().id)
  }
  return ids
}

for (const [what, sentBefore] of [
  ['with messages', 2],
  ['without messages', 0],
] as const)
  test(`the ids of lost messages are not used again when a copy ${what} is restored`, async () => {
    const url = await sharedDatabaseUrl()
    const before = await open(url, START)
    const [ada] = (await createOrganizationOf(before, ['ada'])) as [string]
    const kept = await send(before, ada, sentBefore)
    await before.close()
    const copy = await copyOf(url)
    const going = await open(url, START + 60)
    const lost = await send(going, ada, 5)
    await going.close()

    const restored = await open(copy, START + 120)
    const [next] = (await send(restored, ada, 1)) as [number]
    await restored.close()

    assert.ok(next > Math.max(...lost), `${next} after ${lost}`)
    assert.ok(Math.min(...lost) > Math.max(0, ...kept))
  })
