import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOrganizationIn, openAppIn, startKillableServer } from '../../../test/processes/killable-server.ts'
import { temporaryFolder } from '../../../test/storage.ts'

const RANGE = { anchor: 'newest', num_before: '1000', num_after: '0', narrow: '[["search","apples"]]' }

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

  for (const [round, searches] of [true, false, true].entries()) {
    const server = await startKillableServer(folder)
    assert.deepEqual(await find(server.url), sent)
    for (let number = 0; number < 5; number++) {
      const content = `apples ${round} ${number}`
      sent.push((await call(server.url, 'POST', { type: 'direct', to: '["ada@example.com"]', content })).id)
      if (searches && number === 2) assert.deepEqual(await find(server.url), sent)
    }
    await server.kill()
  }

  await using app = await openAppIn(folder)
  const rows = await app.services.db.selectFrom('messageWords').select('rowid').execute()
  assert.equal(rows.length, sent.length - 2, 'the last two messages were not indexed when the server was killed')
})
