import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { startChat } from '../../../test/harness.ts'
import { Role } from '../../people/users/role.ts'
import { openFileStore } from '../../platform/storage/files/open-file-store.ts'
import type { MakeExport } from './export-job.ts'
import { CHECK_INTERVAL, TIME_LIMIT } from './watch-export.ts'

/**
 * Makes exports. Those of the organization `harbour` never finish; `begun` resolves when the first of these has begun.
 */
function hangingExports() {
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const make: MakeExport = (path, { realm }, signal) => {
    if (realm.subdomain !== 'harbour') return writeFile(path, 'an archive')
    resolve()
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))))
  }
  return { begun, make }
}

async function startHarbour(files = openFileStore(null)) {
  const { begun, make } = hangingExports()
  const chat = await startChat({ files, makeExport: make, settings: { LOG_LEVEL: 'silent' } })
  const harbour = await chat.organization('harbour')
  const ada = await chat.user('ada', { realm: harbour, role: Role.owner })
  const olga = await chat.user('olga', { role: Role.owner })
  return { chat, ada, olga, begun }
}

test('an export that hangs fails after the time limit, and those of other organizations are made', async () => {
  const { chat, ada, olga, begun } = await startHarbour()
  await ada.succeed('POST /export/realm')
  await olga.succeed('POST /export/realm')
  await begun

  await chat.clock.advance(TIME_LIMIT - 1)
  const [before] = (await ada.succeed('GET /export/realm'))['exports']
  await chat.clock.advance(1)
  await chat.app.jobs.dataExports.settled()

  assert.equal(before.pending, true)
  assert.partialDeepStrictEqual((await ada.succeed('GET /export/realm'))['exports'], [
    { pending: false, failed_timestamp: chat.clock.now(), export_url: null },
  ])
  assert.partialDeepStrictEqual((await olga.succeed('GET /export/realm'))['exports'], [
    { pending: false, failed_timestamp: null, size: 'an archive'.length },
  ])
})

test('an export fails when the disk becomes almost full', async () => {
  let free = 10 * 1024 ** 3
  const { chat, ada, begun } = await startHarbour({ ...openFileStore(null), findFreeSpace: async () => free })
  await ada.succeed('POST /export/realm')
  await begun
  await chat.clock.advance(CHECK_INTERVAL)
  const [before] = (await ada.succeed('GET /export/realm'))['exports']

  free = 100 * 1024 ** 2
  await chat.clock.advance(CHECK_INTERVAL)
  await chat.app.jobs.dataExports.settled()

  assert.equal(before.pending, true)
  assert.partialDeepStrictEqual((await ada.succeed('GET /export/realm'))['exports'], [
    { pending: false, failed_timestamp: chat.clock.now(), export_url: null },
  ])
})
