import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { unpackArchive } from '../../test/importing/import-archive.ts'
import { callServer, toAda } from '../../test/processes/call-server.ts'
import { createOrganizationIn, startKillableServer } from '../../test/processes/killable-server.ts'
import { temporaryFolder } from '../../test/storage.ts'

test('a running server makes an export in a process of its own, and leaves no unfinished files', async () => {
  const folder = await temporaryFolder()
  const ada = await createOrganizationIn(folder)
  const server = await startKillableServer(folder)
  await callServer(server, ada, 'POST /messages', toAda('to myself'))
  await callServer(server, ada, 'PATCH /settings', { allow_private_data_export: true })

  const started = await callServer(server, ada, 'POST /export/realm', { export_type: 2 })
  let made = { pending: true, export_url: '' }
  while (made.pending) {
    await sleep(100)
    made = (await callServer(server, ada, 'GET /export/realm'))['exports'][0]
  }
  const answer = await fetch(server.url + new URL(made.export_url).pathname, { headers: { authorization: ada } })
  const unpacked = await unpackArchive(Buffer.from(await answer.arrayBuffer()))
  await server.kill()

  assert.equal(started.status, 200)
  assert.deepEqual((await readdir(unpacked)).sort().slice(0, 2), ['attachment.json', 'avatars'])
  assert.ok((await readdir(unpacked)).includes('messages-000001.json'))
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.startsWith('parley-export')),
    [],
  )
})
