import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type App, openApp } from '#app.ts'
import { openLog } from '#lib/log.ts'
import { MIN_PASSWORD_COST } from '#people/password-hashes.ts'
import { createOrganizationOf } from '../processes/killable-server.ts'
import { sharedDatabaseUrl, temporaryFolder } from '../storage.ts'
import { settingsWithFiles, startVersitygw, versitygwAbsent } from '../versitygw.ts'
import { options } from './nodes.ts'

test('nodes with files in S3 share no folder, and refuse another bucket or another secret', {
  skip: options.skip || versitygwAbsent,
}, async () => {
  const store = await startVersitygw()
  const url = await sharedDatabaseUrl()
  const open = async (changes: Record<string, string> = {}) => {
    const shared = { DATABASE_URL: url, SEVERAL_NODES: 'true', SECRET_KEY: 'the same secret at every node of the test' }
    const environment = { ...shared, ...store.environment({ prefix: 'nodes' }), ...changes }
    const settings = settingsWithFiles(environment, await temporaryFolder())
    return openApp({ settings, log: openLog('silent'), passwordCost: MIN_PASSWORD_COST })
  }
  const addressOf = async (app: App) =>
    `http://localhost:${(await app.http.listen({ host: '127.0.0.1', port: 0 })).port}`
  const refusal = (opening: Promise<App>) =>
    opening.then(
      () => 'started',
      (error: Error) => error.message,
    )

  await using one = await open()
  await using other = await open()
  const [authorization = ''] = await createOrganizationOf(one, ['ada'])
  const body = new FormData()
  body.append('file', new Blob(['the bytes']), 'a.txt')
  const uploaded = await fetch(`${await addressOf(one)}/api/v1/user_uploads`, {
    method: 'POST',
    headers: { authorization },
    body,
  })
  const read = await fetch(`${await addressOf(other)}${(await uploaded.json()).url}`, { headers: { authorization } })
  const elsewhere = await refusal(open(store.environment({ prefix: 'elsewhere' })))
  const withAnotherSecret = await refusal(open({ SECRET_KEY: 'another secret, at one of the nodes of the test' }))
  const withoutSecret = await refusal(open({ SECRET_KEY: '' }))

  assert.equal(await read.text(), 'the bytes')
  assert.match(elsewhere, /has none of the files of this database/)
  assert.match(withAnotherSecret, /This node has another SECRET_KEY/)
  assert.match(withoutSecret, /SECRET_KEY: is needed on each node/)
})
