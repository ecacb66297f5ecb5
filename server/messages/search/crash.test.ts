import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { createOrganizationIn, startKillableServer } from '../../../test/processes/killable-server.ts'
import { temporaryFolder } from '../../../test/storage.ts'

const RANGE = { anchor: 'newest', num_before: '1000', num_after: '0', narrow: '[["search","apples"]]' }

function countIndexed(folder: string): number {
  using database = new DatabaseSync(join(folder, 'parley.db'))
  return Number(database.prepare('select count(*) as "count" from "messageWords"').get()?.['count'])
}

test('messages that were not indexed when the server was killed are found after the next start', async () => {
  const folder = await temporaryFolder()
  const authorization = await createOrganizationIn(folder)
  const sent: number[] = []

  const call = async (url: string, method: string, params: Record<string, string>) => {
    const query = new URLSearchParams(params)
    const response =
      method === 'GET'
        ? await fetch(`${url}/api/v1/messages?${query}`, { headers: { authorization } })
        : await fetch(`${url}/api/v1/messages`, { method, headers: { authorization }, body: query })
    return response.json() as Promise<{ result: string; id: number; messages: { id: number }[] }>
  }
  const find = async (url: string) => (await call(url, 'GET', RANGE)).messages.map(({ id }) => id)

  /** The number of messages in the search index after each crash. */
  const indexed: number[] = []
  for (const [round, searches] of [true, false, true].entries()) {
    const server = await startKillableServer(folder)
    assert.deepEqual(await find(server.url), sent)
    for (let number = 0; number < 5; number++) {
      const content = `apples ${round} ${number}`
      sent.push((await call(server.url, 'POST', { type: 'direct', to: '["ada@example.com"]', content })).id)
      if (searches && number === 2) assert.deepEqual(await find(server.url), sent)
    }
    await server.kill()
    indexed.push(countIndexed(folder))
  }
  const last = await startKillableServer(folder)
  assert.deepEqual(await find(last.url), sent)
  await last.kill()

  // The server indexes messages after ten seconds. On a slow machine, that may be before a crash.
  const [first, second, third] = indexed
  assert.ok(
    first === 3 || second === 5 || third === 13,
    `after the crashes, ${indexed.join(', ')} messages were indexed`,
  )
})
