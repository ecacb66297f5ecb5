import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { saveAttachment } from '#messages/attachments.ts'
import { AddressVisibility } from '#people/user-settings.ts'
import { Role } from '#rules/role.ts'
import { openFileStore } from '#storage/files.ts'
import { refusalResponse } from '../../test/channels.ts'
import { fetchPage, namesIn, sendFiles, storedFiles, upload } from '../../test/files.ts'
import { type Body, type Chat, type Person, type StartOptions, startChat } from '../../test/harness.ts'
import { importFresh, unpackArchive } from '../../test/importing/import-archive.ts'
import { messagesOf } from '../../test/importing/import-into.ts'
import { sendDirect, sendToChannel } from '../../test/messages.ts'
import { smallPng } from '../../test/pictures.ts'
import { type MakeExport, openExportJob } from './timed-jobs.ts'

const administratorsOnly = refusalResponse('Must be an organization administrator', 'UNAUTHORIZED_PRINCIPAL')

/**
 * Starts an organization with two owners, two members, and public and private conversations. Ben allows the export of
 * his private data.
 */
async function startOffice(options: StartOptions = {}) {
  const chat = await startChat(options)
  const enrol = (name: string, role: Role) => chat.user(name, { role, email: `${name}@harbour.example` })
  const [ada, ben] = [await enrol('ada', Role.owner), await enrol('ben', Role.member)]
  const [cleo, dan] = [await enrol('cleo', Role.member), await enrol('dan', Role.member)]
  await ben.succeed('PATCH /settings', { allow_private_data_export: true, twenty_four_hour_time: true })
  return { chat, ada, ben, cleo, dan }
}

async function makeExport(chat: Chat, person: Person, type: number): Promise<Body> {
  await person.succeed('POST /export/realm', { export_type: type })
  await chat.app.jobs.dataExports.settled()
  return (await person.succeed('GET /export/realm', { include_size: true }))['exports'].at(-1)
}

const pathOf = (made: Body) => new URL(made['export_url']).pathname

async function download(chat: Chat, person: Person, made: Body): Promise<string> {
  return unpackArchive((await fetchPage(chat, pathOf(made), person)).bytes)
}

/** Fills the office with messages. */
async function talk({ chat, ada, ben, cleo, dan }: Awaited<ReturnType<typeof startOffice>>): Promise<void> {
  const town = await chat.channel('town', [ada, ben, cleo, dan])
  const board = await chat.channel('board', [ada, cleo], { isPrivate: true, isHistoryShared: true })
  const club = await chat.channel('club', [ben, cleo], { isPrivate: true, isHistoryShared: true })
  const vault = await chat.channel('vault', [ben, cleo], { isPrivate: true, isHistoryShared: false })
  const file = await upload(chat, ada, { name: 'plan.txt', bytes: 'open plan' })
  const secret = await upload(chat, cleo, { name: 'secret.txt', bytes: 'board plan' })
  await sendToChannel(ada, town, `in town, [plan](${file})`)
  await sendToChannel(cleo, board, `on the board, [secret](${secret})`)
  await sendToChannel(cleo, club, 'in the club')
  await ada.succeed('DELETE /users/me/subscriptions', { subscriptions: ['vault'], principals: [ben.id] })
  await sendToChannel(cleo, vault, 'in the vault without Ben')
  await cleo.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: 'vault' }], principals: [ben.id] })
  await sendToChannel(cleo, vault, 'in the vault')
  await sendDirect(cleo, [ben], 'to Ben')
  await sendDirect(cleo, [dan], 'to Dan')
  await cleo.succeed('POST /users/me/alert_words', { alert_words: ['storm'] })
  await ben.succeed('POST /users/me/alert_words', { alert_words: ['fog'] })
}

async function contentsOf(folder: string): Promise<string[]> {
  const { zerver_message: messages } = JSON.parse(await readFile(join(folder, 'messages-000001.json'), 'utf8'))
  return messages
    .map(({ content }: { content: string }) => content.replace(/\(.*\)/, ''))
    .filter((content: string) => !content.includes('subscribed you'))
}

const tablesOf = async (folder: string) => JSON.parse(await readFile(join(folder, 'realm.json'), 'utf8'))
const namesOf = (rows: { name: string }[]) => rows.map(({ name }) => name)

test('a public export contains public channels and their files, and no private conversation or setting', async () => {
  const office = await startOffice()
  const { chat, ada, dan } = office
  await talk(office)
  await dan.succeed('PATCH /settings', { email_address_visibility: AddressVisibility.nobody })

  const made = await makeExport(chat, ada, 1)
  const folder = await download(chat, ada, made)
  const tables = await tablesOf(folder)

  assert.partialDeepStrictEqual(made, {
    acting_user_id: ada.id,
    pending: false,
    failed_timestamp: null,
    export_type: 1,
  })
  assert.deepEqual(await contentsOf(folder), ['in town, [plan]'])
  assert.deepEqual(namesOf(tables.zerver_stream), ['town'])
  assert.deepEqual((await namesIn(join(folder, 'uploads'))).map((name) => name.replace(/.*\//, '')).sort(), [
    'plan.txt',
    'records.json',
  ])
  assert.deepEqual(tables.zerver_alertword, [])
  const people = tables.zerver_userprofile as {
    full_name: string
    delivery_email: string
    twenty_four_hour_time: boolean
  }[]
  assert.deepEqual(people.map((one) => one.delivery_email).sort(), [
    'ada@harbour.example',
    'ben@harbour.example',
    'cleo@harbour.example',
    `user${dan.id}@parley.test`,
  ])
  assert.ok(people.every((one) => !one.twenty_four_hour_time))
})

test('an export with private data contains what the users who consent can read, and can be imported', async () => {
  const office = await startOffice()
  const { chat, ada } = office
  await talk(office)

  const folder = await download(chat, ada, await makeExport(chat, ada, 2))
  const tables = await tablesOf(folder)
  const contents = await contentsOf(folder)
  const there = await importFresh(folder)
  const [bens, cleos] = [await messagesOf(await there.person('ben')), await messagesOf(await there.person('cleo'))]

  const expected = ['in town, [plan]', 'in the club', 'in the vault', 'to Ben']
  assert.deepEqual(contents, expected)
  assert.deepEqual(namesOf(tables.zerver_stream), ['town', 'club', 'vault'])
  assert.deepEqual(
    tables.zerver_alertword.map(({ word }: { word: string }) => word),
    ['fog'],
  )
  const texts = (messages: typeof bens) => messages.map(({ content }) => content.replace(/\(.*\)/, ''))
  assert.deepEqual(
    texts(bens).filter((text) => !text.includes('subscribed you')),
    expected,
  )
  assert.ok(!texts(cleos).includes('to Dan'))
})

test('administrators see an export start and end, and the one who started it gets a message', async () => {
  const { chat, ada, ben } = await startOffice()
  const eve = await chat.user('eve', { role: Role.administrator })
  const { id } = await ada.succeed('POST /export/realm')
  const pending = (await ada.succeed('GET /export/realm', { include_size: true }))['exports']
  await chat.app.jobs.dataExports.settled()

  const [made] = (await eve.succeed('GET /export/realm', { include_size: true }))['exports']
  const events = async (person: Person) => (await chat.eventsOf(person)).filter(({ type }) => type === 'realm_export')
  const [notice] = (await messagesOf(ada)).slice(-1)
  const answer = await fetchPage(chat, pathOf(made), eve)

  assert.partialDeepStrictEqual(pending, [{ id, pending: true, export_url: null, size: null }])
  assert.deepEqual(
    (await events(eve)).map(({ exports }) => exports),
    [pending, [made]],
  )
  assert.deepEqual(await events(ben), [])
  assert.match(notice?.['content'], /^Your data export is complete\. \[View and download exports\]\(http/)
  assert.deepEqual([answer.status, answer.bytes.length], [200, made.size])
  assert.equal(answer.headers['content-disposition'], 'attachment; filename="parley-export-2030-01-05.tar.gz"')
})

test('only administrators of the organization can start, list, download and delete exports', async () => {
  const { chat, ada, ben } = await startOffice()
  const elsewhere = await chat.organization('elsewhere')
  const olga = await chat.user('olga', { realm: elsewhere, role: Role.owner })
  const made = await makeExport(chat, ada, 1)

  for (const route of ['GET /export/realm', 'POST /export/realm', `DELETE /export/realm/${made['id']}`])
    assert.deepEqual(await ben.call(route), administratorsOnly)
  const asMember = await fetchPage(chat, pathOf(made), ben)
  const withoutAccount = await fetchPage(chat, pathOf(made), null)
  const fromElsewhere = await fetchPage(chat, pathOf(made), olga)

  assert.deepEqual([asMember.status, withoutAccount.status, fromElsewhere.status], [400, 401, 404])
  assert.deepEqual(await olga.call(`DELETE /export/realm/${made['id']}`), refusalResponse('Invalid data export ID'))
  assert.deepEqual((await olga.succeed('GET /export/realm', { include_size: true }))['exports'], [])
})

test('a deleted export stays in the list, and its archive is gone', async () => {
  const { chat, ada } = await startOffice()
  const made = await makeExport(chat, ada, 1)
  const stored = await storedFiles(chat, 'exports')

  await ada.succeed(`DELETE /export/realm/${made['id']}`)
  const [deleted] = (await ada.succeed('GET /export/realm', { include_size: true }))['exports']

  assert.equal(stored.length, 1)
  assert.deepEqual(await storedFiles(chat, 'exports'), [])
  assert.deepEqual(deleted, { ...made, deleted_timestamp: chat.clock.now(), export_url: null })
  assert.equal((await fetchPage(chat, pathOf(made), ada)).status, 404)
  assert.deepEqual(await ada.call(`DELETE /export/realm/${made['id']}`), refusalResponse('Export already deleted'))
})

test('an organization has one export at a time, and five in a week', async () => {
  const { chat, ada } = await startOffice()
  const { id } = await ada.succeed('POST /export/realm')
  const second = await ada.call('POST /export/realm')
  const early = await ada.call(`DELETE /export/realm/${id}`)
  await chat.app.jobs.dataExports.settled()
  for (let count = 2; count <= 5; count += 1) await makeExport(chat, ada, 1)

  const sixth = await ada.call('POST /export/realm')
  await chat.clock.advance(7 * 86_400 + 1)
  const later = await ada.call('POST /export/realm')

  assert.deepEqual(second, refusalResponse('An export is already in progress. Wait until it is complete.'))
  assert.deepEqual(early, refusalResponse('Export still in progress'))
  assert.deepEqual(sixth, refusalResponse('Organizations can start 5 exports in 7 days. Try again later.'))
  assert.equal(later.status, 200)
})

test('organizations with many uploads and servers with little space are refused before any work', async () => {
  const { chat, ada } = await startOffice({
    files: { ...openFileStore(null), findFreeSpace: async () => 100 * 1024 ** 2 },
  })
  const tight = await ada.call('POST /export/realm')
  await chat.app.services.transaction((tx) =>
    saveAttachment(tx, {
      ...{ realmId: chat.realm.id, ownerId: ada.id, place: 'x', fileName: 'x.iso', name: 'x.iso' },
      ...{ size: 11 * 1024 ** 3, createdAt: tx.now, image: null },
    }),
  )
  const large = await ada.call('POST /export/realm')

  assert.match(tight.msg, /^The server does not have enough free disk space/)
  assert.match(large.msg, /^This organization is too large to export here/)
  assert.deepEqual((await ada.succeed('GET /export/realm', { include_size: true }))['exports'], [])
})

test('a failed export is reported, and another can be started', async () => {
  let hasSpace = false
  const { chat, ada } = await startOffice({
    settings: { LOG_LEVEL: 'silent' },
    async makeExport() {
      if (!hasSpace) throw new Error('no space left on device')
    },
  })
  const made = await makeExport(chat, ada, 2)
  hasSpace = true
  const again = await ada.call('POST /export/realm')
  const [notice] = (await messagesOf(ada)).slice(-1)

  assert.partialDeepStrictEqual(made, { pending: false, failed_timestamp: chat.clock.now(), export_url: null })
  assert.match(notice?.['content'], /^Your data export failed\. You can \[start it again\]/)
  assert.equal(again.status, 200)
  assert.deepEqual(
    await ada.call(`DELETE /export/realm/${made['id']}`),
    refusalResponse('Export failed, nothing to delete'),
  )
})

/** Makes exports that never finish. `begun` resolves when the first has begun. */
function endlessExports() {
  const begun = Promise.withResolvers<void>()
  const make: MakeExport = (_path, _selected, signal) => {
    begun.resolve()
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))))
  }
  return { begun: begun.promise, make }
}

test('an export that a stop of the server interrupted begins again, and fails after three attempts', async () => {
  const first = endlessExports()
  const { chat, ada } = await startOffice({ makeExport: first.make })
  const { db, transaction, clock, log, files } = chat.app.services
  const parts = { db, transaction, clock, log, files, workFolder: null, isResponsible: () => true }
  const { id } = await ada.succeed('POST /export/realm')
  const list = async () => (await ada.succeed('GET /export/realm', { include_size: true }))['exports']
  const beginAndStop = async () => {
    const { begun, make } = endlessExports()
    const job = openExportJob({ ...parts, make })
    await begun
    await job.close()
  }

  await first.begun
  await chat.app.jobs.dataExports.close()
  const afterStop = await list()
  await beginAndStop()
  await beginAndStop()
  const afterThree = await list()
  const fourth = openExportJob({ ...parts, make: () => assert.fail('it was not to be tried again') })
  await fourth.settled()
  await fourth.close()

  assert.partialDeepStrictEqual([afterStop, afterThree], [[{ id, pending: true }], [{ id, pending: true }]])
  assert.partialDeepStrictEqual(await list(), [{ id, pending: false, failed_timestamp: clock.now() }])
})

test('an export that another node has taken over is not disturbed by the node that began it', async () => {
  const first = endlessExports()
  const { chat, ada } = await startOffice({ makeExport: first.make })
  const { db, transaction, clock, log, files } = chat.app.services
  await ada.succeed('POST /export/realm')
  await first.begun
  await chat.app.jobs.dataExports.close()
  let leader = 1
  const openNode = (number: number, end: (path: string) => Promise<void>) => {
    const [begun, ended] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()]
    const make: MakeExport = async (path) => {
      begun.resolve(path)
      await ended.promise
      await end(path)
    }
    const isResponsible = () => leader === number
    const job = openExportJob({ db, transaction, clock, log, files, workFolder: null, isResponsible, make })
    return { job, begun: begun.promise, end: ended.resolve }
  }

  const old = openNode(1, () => Promise.reject(new Error('its database was lost')))
  const oldPath = await old.begun
  leader = 2
  const next = openNode(2, (path) => writeFile(path, 'an archive'))
  const nextPath = await next.begun
  old.end()
  await old.job.close()
  next.end()
  await next.job.settled()
  await next.job.close()

  assert.notEqual(oldPath, nextPath)
  assert.partialDeepStrictEqual((await ada.succeed('GET /export/realm', { include_size: true }))['exports'], [
    { pending: false, failed_timestamp: null, size: 'an archive'.length },
  ])
})

test('an archive whose export failed after it was stored is deleted by the second cleanup', async () => {
  let hasFailed = false
  const { chat, ada } = await startOffice({
    settings: { LOG_LEVEL: 'silent' },
    async makeExport(path) {
      if (hasFailed) return writeFile(path, 'an archive')
      hasFailed = true
      throw new Error('no connection to the database')
    },
  })
  const failed = await makeExport(chat, ada, 1)
  await makeExport(chat, ada, 1)
  const [stored] = await storedFiles(chat, 'exports')
  const { db, files } = chat.app.services
  const { file } = await db
    .selectFrom('dataExports')
    .select('file')
    .where('id', '=', failed['id'])
    .executeTakeFirstOrThrow()
  await files.save(`exports/${chat.realm.id}/${file}.tar.gz`, Buffer.from('an archive'))

  await chat.clock.advance(2 * 86_400)

  assert.deepEqual(await storedFiles(chat, 'exports'), [stored])
})

test('avatars, emoji, the icon and logos of the organization survive an export and import', async () => {
  const { chat, ada, ben } = await startOffice()
  const image = { name: 'image.png', bytes: smallPng }
  for (const path of ['/realm/icon', '/realm/logo', '/realm/logo?night=true', '/realm/emoji/gull'])
    assert.equal((await sendFiles(chat, ada, path, image)).result, 'success', path)
  assert.equal((await sendFiles(chat, ben, '/users/me/avatar', image)).result, 'success')

  const there = await importFresh(await download(chat, ada, await makeExport(chat, ada, 1)))
  const person = await there.person('ben')
  const state = await person.succeed('POST /register')
  const icons = [state['realm_icon_url'], state['realm_logo_url'], state['realm_night_logo_url']]
  const emoji = Object.values<{ name: string; source_url: string }>(state['realm_emoji'])

  assert.deepEqual(
    [state['realm_icon_source'], state['realm_logo_source'], state['realm_night_logo_source']],
    ['U', 'U', 'U'],
  )
  assert.deepEqual(
    emoji.map(({ name }) => name),
    ['gull'],
  )
  for (const url of [...icons, emoji[0]?.source_url, state['avatar_url']])
    assert.equal((await fetchPage(there.chat, url, person)).headers['content-type'], 'image/png', url)
  assert.equal(new Set(icons).size, 3)
})
