import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { storedFiles } from '../../test/files.ts'
import { type Chat, type Person, startChat } from '../../test/harness.ts'
import { expiryOf } from './data-exports.ts'
import { openExportJob } from './timed-jobs.ts'

async function startWithExport() {
  const chat = await startChat({ makeExport: (path) => writeFile(path, 'an archive') })
  const ada = await chat.user('ada', { role: Role.owner })
  await ada.succeed('POST /export/realm')
  await chat.app.jobs.dataExports.settled()
  return { chat, ada }
}

async function listExports(person: Person) {
  return (await person.succeed('GET /export/realm', { include_size: true }))['exports']
}

const exportEvents = async (chat: Chat, person: Person) =>
  (await chat.eventsOf(person)).filter(({ type }) => type === 'realm_export')

test('an archive is deleted after seven days, and its export stays in the list as deleted', async () => {
  const { chat, ada } = await startWithExport()
  const week = expiryOf(0)

  await chat.clock.advance(week - 1)
  const before = { files: await storedFiles(chat, 'exports'), list: await listExports(ada) }
  await chat.clock.advance(1)
  await chat.app.jobs.dataExports.settled()
  const [after] = await listExports(ada)

  assert.equal(week, 7 * 86_400)
  assert.equal(before.files.length, 1)
  assert.partialDeepStrictEqual(before.list, [{ deleted_timestamp: null }])
  assert.deepEqual(await storedFiles(chat, 'exports'), [])
  assert.partialDeepStrictEqual(after, {
    deleted_timestamp: chat.clock.now(),
    failed_timestamp: null,
    export_url: null,
  })
  assert.deepEqual((await exportEvents(chat, ada)).at(-1)?.['exports'], [after])
})

test('an export whose archive is missing is listed as deleted after the next start', async () => {
  const { chat, ada } = await startWithExport()
  await chat.app.jobs.dataExports.close()
  const { db, transaction, clock, log, files } = chat.app.services
  const parts = { db, transaction, clock, log, files, workFolder: null, isResponsible: () => true, make: assert.fail }
  const restart = async () => {
    const job = openExportJob(parts)
    await job.settled()
    await job.close()
    return listExports(ada)
  }

  const withArchive = await restart()
  for (const name of await storedFiles(chat, 'exports')) await files.delete(name)
  const [withoutArchive] = await restart()

  assert.partialDeepStrictEqual(withArchive, [{ deleted_timestamp: null }])
  assert.partialDeepStrictEqual(withoutArchive, { deleted_timestamp: clock.now(), export_url: null })
  assert.deepEqual((await exportEvents(chat, ada)).at(-1)?.['exports'], [withoutArchive])
})
