import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCommand } from '../../test/processes/command.ts'
import { temporaryFolder } from '../../test/storage.ts'

test('the command line starts, lists and ends legal holds', async () => {
  const folder = await temporaryFolder()
  const settings = { DATABASE_URL: `${folder}/parley.db`, DATA_DIR: folder }
  const run = (...words: string[]) => runCommand(['hold', ...words], settings)
  await runCommand(
    ['org', 'create', '--name', 'Example', '--owner-email', 'a@example.com', '--owner-name', 'A'],
    settings,
  )

  const started = await run('start', '--user', 'a@example.com', '--reason', 'A 12/30', '--json')
  const { id } = JSON.parse(started.output)
  const both = await run('start', '--user', 'a@example.com', '--channel', 'general')
  const listed = await run('list', '--json')
  const ended = await run('end', String(id))
  const again = await run('end', String(id))

  assert.partialDeepStrictEqual(JSON.parse(listed.output), [{ id, channel_id: null, reason: 'A 12/30' }])
  assert.match(both.complaint, /either --user or --channel/)
  assert.equal(ended.code, 0, ended.complaint)
  assert.match(again.complaint, /There is no hold/)
})
