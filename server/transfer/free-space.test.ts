import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { openFileStore } from '#storage/files.ts'
import { collectLog } from '../../test/collected-log.ts'
import { upload } from '../../test/files.ts'
import { startChat } from '../../test/harness.ts'
import { sendToChannel } from '../../test/messages.ts'
import { CHECK_INTERVAL, TIME_LIMIT } from './free-space.ts'
import type { MakeExport } from './timed-jobs.ts'

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
  const { log, entries } = collectLog()
  const chat = await startChat({ files, makeExport: make, log })
  const harbour = await chat.organization('harbour')
  const ada = await chat.user('ada', { realm: harbour, role: Role.owner })
  const olga = await chat.user('olga', { role: Role.owner })
  return { chat, ada, olga, begun, entries }
}

test('an export that hangs fails after the time limit, and those of other organizations are made', async () => {
  const { chat, ada, olga, begun } = await startHarbour()
  await ada.succeed('POST /export/realm')
  await olga.succeed('POST /export/realm')
  await begun

  await chat.clock.advance(TIME_LIMIT - 1)
  const [before] = (await ada.succeed('GET /export/realm', { include_size: true }))['exports']
  await chat.clock.advance(1)
  await chat.app.jobs.dataExports.settled()

  assert.equal(before.pending, true)
  assert.partialDeepStrictEqual((await ada.succeed('GET /export/realm', { include_size: true }))['exports'], [
    { pending: false, failed_timestamp: chat.clock.now(), export_url: null },
  ])
  assert.partialDeepStrictEqual((await olga.succeed('GET /export/realm', { include_size: true }))['exports'], [
    { pending: false, failed_timestamp: null, size: 'an archive'.length },
  ])
})

test('an export fails when the disk becomes almost full', async () => {
  let free = 10 * 1024 ** 3
  const { chat, ada, begun } = await startHarbour({ ...openFileStore(null), findFreeSpace: async () => free })
  await ada.succeed('POST /export/realm')
  await begun
  await chat.clock.advance(CHECK_INTERVAL)
  const [before] = (await ada.succeed('GET /export/realm', { include_size: true }))['exports']

  free = 100 * 1024 ** 2
  await chat.clock.advance(CHECK_INTERVAL)
  await chat.app.jobs.dataExports.settled()

  assert.equal(before.pending, true)
  assert.partialDeepStrictEqual((await ada.succeed('GET /export/realm', { include_size: true }))['exports'], [
    { pending: false, failed_timestamp: chat.clock.now(), export_url: null },
  ])
})

test('an export continues after a failed check of the free space, and fails after two in a row', async () => {
  let isBroken = false
  const findFreeSpace = () =>
    isBroken ? Promise.reject(new Error('the disk is busy')) : Promise.resolve(10 * 1024 ** 3)
  const { chat, ada, begun, entries } = await startHarbour({ ...openFileStore(null), findFreeSpace })
  const messages = () => entries.map(({ message }) => message).filter((message) => message.includes('export'))
  const isPending = async () => (await ada.succeed('GET /export/realm', { include_size: true }))['exports'][0].pending
  const check = async (breaks: boolean) => {
    isBroken = breaks
    await chat.clock.advance(CHECK_INTERVAL)
  }
  await ada.succeed('POST /export/realm')
  await begun

  for (const breaks of [true, false, true]) await check(breaks)
  const [before, whilePending] = [await isPending(), messages()]
  await check(true)
  await chat.app.jobs.dataExports.settled()

  const warning = 'Failed to read the free disk space during an export'
  assert.deepEqual([before, whilePending], [true, [warning, warning]])
  assert.deepEqual([await isPending(), messages()], [false, [warning, warning, 'An export failed']])
})

test('an export in the process of the server ends at the time limit, and when the server stops', async () => {
  const memory = openFileStore(null)
  let isStuck = Promise.withResolvers<Readable>()
  const stream = () => {
    const stuck = new Readable({ read() {} })
    isStuck.resolve(stuck)
    return stuck
  }
  const chat = await startChat({ files: { ...memory, stream }, settings: { LOG_LEVEL: 'silent' } })
  const olga = await chat.user('olga', { role: Role.owner, email: 'olga@harbour.example' })
  const general = await chat.channel('general', [olga])
  const list = async () => (await olga.succeed('GET /export/realm', { include_size: true }))['exports']
  await sendToChannel(olga, general, `[plan](${await upload(chat, olga)})`)
  await olga.succeed('POST /export/realm')
  const first = await isStuck.promise

  await chat.clock.advance(TIME_LIMIT)
  await chat.app.jobs.dataExports.settled()
  assert.partialDeepStrictEqual(await list(), [{ pending: false, failed_timestamp: chat.clock.now() }])
  isStuck = Promise.withResolvers()
  await olga.succeed('POST /export/realm')
  const second = await isStuck.promise
  await chat.app.jobs.dataExports.close()

  assert.deepEqual([first.destroyed, second.destroyed], [true, true])
  assert.partialDeepStrictEqual(await list(), [{ pending: false }, { pending: true }])
})
