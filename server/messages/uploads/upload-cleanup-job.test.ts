import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'
import { type App, openApp } from '#app.ts'
import { completeSettings, readSettings } from '#config.ts'
import { systemClock, testClock } from '#lib/clock.ts'
import { openLog } from '#lib/log.ts'
import { backedUpFolders, openFileStore } from '#storage/files.ts'
import { fetchPage, namesIn, sendFiles, storedFiles, upload } from '../../../test/files.ts'
import { type Chat, START, startChat } from '../../../test/harness.ts'
import { sendDirect } from '../../../test/messages.ts'
import { movingPicture, noResizing } from '../../../test/pictures.ts'
import { createOrganizationOf, openAppIn } from '../../../test/processes/killable-server.ts'
import { temporaryFolder } from '../../../test/storage.ts'

const DAY = 86_400

const count = async (chat: Chat) => (await chat.app.services.db.selectFrom('attachments').select('id').execute()).length

test('files that no message links to are deleted after five weeks', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const [unused, used] = [await upload(chat, ben), await upload(chat, ben)]
  await sendDirect(ben, [ben], `[a](${used})`)

  await chat.clock.advance(34 * DAY)
  const early = await count(chat)
  await chat.clock.advance(2 * DAY)

  assert.equal(early, 2)
  assert.equal((await fetchPage(chat, unused, ben)).status, 404)
  assert.equal((await fetchPage(chat, used, ben)).status, 200)
  assert.equal((await storedFiles(chat)).length, 1)
  assert.partialDeepStrictEqual((await chat.eventsOf(ben)).at(-1), { type: 'attachment', op: 'remove' })
})

test('the five weeks start again when a file loses its last message', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  await chat.change({ message_content_delete_limit_seconds: null })
  const url = await upload(chat, ben)
  const id = await sendDirect(ben, [ben], `[a](${url})`)
  await chat.clock.advance(40 * DAY)
  await ben.succeed(`DELETE /messages/${id}`)

  await chat.clock.advance(34 * DAY)
  const early = await count(chat)
  await chat.clock.advance(2 * DAY)

  assert.equal(early, 1)
  assert.equal(await count(chat), 0)
})

const orphans = [
  'uploads/2/ab/a-secret-without-a-row',
  'avatars/2/ab.png',
  'avatars/2/ab-medium.png',
  'avatars/2/cd.png.host-1-0~',
  'emoji/2/ab.gif',
  'emoji/2/still/ab.png',
  'emoji/nowhere.png',
]

test('uploads, avatars and emoji without a row are deleted by the second run', async () => {
  const folder = await temporaryFolder()
  const chat = await startChat({ files: openFileStore(folder) })
  const ben = await chat.user('ben')
  const bytes = movingPicture
  const all = async () => (await Promise.all(backedUpFolders.map((folder) => storedFiles(chat, folder)))).flat().sort()
  await upload(chat, ben)
  await sendFiles(chat, ben, '/users/me/avatar', { bytes })
  await sendFiles(chat, ben, '/realm/emoji/gull', { bytes })
  const known = await all()
  for (const name of orphans) {
    await mkdir(join(folder, dirname(name)), { recursive: true })
    await writeFile(join(folder, name), 'left by a crash')
  }

  await chat.clock.advance(1000)
  const afterOne = await all()
  await chat.clock.advance(DAY)

  assert.equal(known.length, noResizing ? 3 : 5)
  assert.deepEqual(afterOne, [...known, ...orphans].sort())
  assert.deepEqual(await all(), known)
})

test('a file linked in a scheduled message stays', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const url = await upload(chat, ben)
  const later = { type: 'direct', to: [ben.id], content: `[a](${url})` }
  await ben.succeed('POST /scheduled_messages', { ...later, scheduled_delivery_timestamp: START + 60 * DAY })

  await chat.clock.advance(40 * DAY)
  const waiting = await count(chat)
  await chat.clock.advance(21 * DAY)
  await chat.app.jobs.scheduledMessages.settled()
  await chat.clock.advance(60 * DAY)

  assert.equal(waiting, 1)
  assert.equal(await count(chat), 1)
})

test('a new database does not delete the files of another one, which continues to clean up', async () => {
  const folder = await temporaryFolder()
  const names = () => namesIn(join(folder, 'uploads'))
  const clock = testClock(systemClock().now())
  const runDaily = async (database: string, meanwhile: (app: App) => Promise<unknown> = async () => {}) => {
    const settings = completeSettings({ ...readSettings({}), DATABASE_URL: join(folder, database), DATA_DIR: folder })
    const app = await openApp({ settings, clock, log: openLog('silent') })
    await meanwhile(app)
    for (let day = 0; day < 3; day++) await clock.advance(DAY)
    await app.close()
  }
  const uploadOne = async (app: App) => {
    const [authorization = ''] = await createOrganizationOf(app, ['ada'])
    const body = new FormData()
    body.append('file', new Blob(['bytes']), 'a.bin')
    const { port } = await app.http.listen({ host: '127.0.0.1', port: 0 })
    await fetch(`http://127.0.0.1:${port}/api/v1/user_uploads`, { method: 'POST', headers: { authorization }, body })
  }
  const leftover = () => openFileStore(folder).save('uploads/2/ab/left-by-a-crash', Buffer.from('orphan'))

  await runDaily('one.db', uploadOne)
  const [known] = await names()
  await leftover()
  await runDaily('other.db')
  const besideOther = await names()
  await runDaily('one.db')

  assert.ok(known)
  assert.equal(besideOther.length, 2)
  assert.deepEqual(await names(), [known])
})

for (const isOneOfSeveral of [false, true])
  test(`an unknown file ${isOneOfSeveral ? 'stays if several databases share the files' : 'is deleted by the only database'}`, async () => {
    const folder = await temporaryFolder()
    const clock = testClock(systemClock().now())
    await using app = await openAppIn(folder, { clock })
    await clock.advance(DAY)
    const number = { name: 'database number', value: '0' }
    if (isOneOfSeveral) await app.services.transaction((tx) => tx.insertInto('installation').values(number).execute())
    await app.services.files.save('uploads/33/ab/unknown', Buffer.from('bytes'))

    for (let day = 0; day < 3; day++) await clock.advance(DAY)

    assert.deepEqual(await namesIn(join(folder, 'uploads/33/ab')), isOneOfSeveral ? ['unknown'] : [])
  })

for (const name of ['uploads/2/ab/of-another-database', 'avatars/2/ab.png', 'emoji/2/ab.png'])
  test(`files in a folder without an owner stay if the database knows none of them: ${name}`, async () => {
    const folder = await temporaryFolder()
    await openFileStore(folder).save(name, Buffer.from('bytes'))
    const clock = testClock(systemClock().now())
    await using _ = await openAppIn(folder, { clock })

    for (let day = 0; day < 3; day++) await clock.advance(DAY)

    assert.deepEqual(await namesIn(join(folder, dirname(name))), [basename(name)])
  })
