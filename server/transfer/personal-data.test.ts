import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { extract } from 'tar'
import { Role } from '#rules/role.ts'
import { refusalResponse } from '../../test/channels.ts'
import { fetchPage, upload } from '../../test/files.ts'
import { type Chat, type Person, startChat } from '../../test/harness.ts'
import { sendDirect, sendToChannel } from '../../test/messages.ts'
import { temporaryFolder } from '../../test/storage.ts'

const DAY = 86_400

async function requestData(chat: Chat, person: Person) {
  await person.succeed('POST /users/me/data_export', {})
  await chat.app.jobs.dataExports.settled()
  return (await person.succeed('GET /users/me/data_export'))['data_export']
}

async function unpack(archive: Uint8Array): Promise<string> {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'archive.tar.gz'), archive)
  await extract({ cwd: folder, file: join(folder, 'archive.tar.gz') })
  return join(folder, 'organization')
}

type Row = Record<string, unknown>

/** Returns a function that reads a file of the archive that the user requests. */
async function openArchive(chat: Chat, person: Person): Promise<(name: string) => Promise<Row[]>> {
  const { url } = await requestData(chat, person)
  const folder = await unpack((await fetchPage(chat, pathOf(url), person)).bytes)
  return async (name) => JSON.parse(await readFile(join(folder, name), 'utf8'))
}

const pathOf = (url: string) => new URL(url).pathname

test('the archive of a user contains what they wrote and received, and nothing that others wrote elsewhere', async () => {
  const chat = await startChat()
  const [ada, ben, cleo] = [await chat.user('ada'), await chat.user('ben'), await chat.user('cleo')]
  const town = await chat.channel('town', [ada, ben, cleo])
  const file = await upload(chat, ben, { name: 'plan.txt', bytes: 'open plan' })
  await sendToChannel(ben, town, `from ben, [plan](${file})`)
  await sendToChannel(ada, town, 'from ada in town')
  await sendDirect(ada, [ben], 'from ada to ben')
  await sendDirect(ben, [ada], 'from ben to ada')
  await sendDirect(ada, [cleo], 'from ada to cleo')
  await ben.succeed('POST /users/me/alert_words', { alert_words: ['fog'] })
  await ben.succeed('POST /drafts', { drafts: [{ type: 'stream', to: [town.id], topic: 'x', content: 'a draft' }] })

  const archive = await requestData(chat, ben)
  const folder = await unpack((await fetchPage(chat, pathOf(archive.url), ben)).bytes)
  const read = async (name: string) => JSON.parse(await readFile(join(folder, name), 'utf8'))
  const names = (await readdir(folder)).sort()
  const everything = (
    await Promise.all(names.filter((name) => /json|txt/.test(name)).map((name) => readFile(join(folder, name), 'utf8')))
  ).join('\n')

  assert.equal(archive.pending, false)
  assert.equal((await read('profile.json')).email, ben.email)
  const sent = await read('channel-messages-0001.json')
  assert.deepEqual(
    sent.map(({ channel, content }: { channel: string; content: string }) => [channel, content.replace(/\(.*/, '')]),
    [['town', 'from ben, [plan]']],
  )
  assert.match(sent[0].sentAt, /^20\d\d-.*Z$/)
  assert.deepEqual(
    (await read('direct-messages-0001.json')).map(
      ({ sender, isOwn, content }: { sender: string; isOwn: boolean; content: string }) => [sender, isOwn, content],
    ),
    [
      ['Ada', false, 'from ada to ben'],
      ['Ben', true, 'from ben to ada'],
    ],
  )
  assert.deepEqual(await read('alert_words.json'), [{ word: 'fog' }])
  assert.equal((await read('drafts.json'))[0].content, 'a draft')
  const [listed] = await read('files.json')
  assert.equal(await readFile(join(folder, listed.path), 'utf8'), 'open plan')
  assert.match(await readFile(join(folder, 'README.txt'), 'utf8'), /stores about Ben/)
  assert.doesNotMatch(everything, /from ada in town|from ada to cleo|passwordHash|"hash"/)
})

test('the archive has earlier versions of messages of others only where the organization shows them', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada', { role: Role.owner }), await chat.user('ben')]
  const [theirs, own] = [await sendDirect(ada, [ben], 'salary 1'), await sendDirect(ben, [ada], 'own 1')]
  await ada.succeed(`PATCH /messages/${theirs}`, { content: 'salary 2' })
  await ben.succeed(`PATCH /messages/${own}`, { content: 'own 2' })
  const versions = async () => {
    const messages = await (await openArchive(chat, ben))('direct-messages-0001.json')
    // The messages of Notification Bot come later.
    return messages.slice(0, 2).map(({ edits }) => (edits as Row[]).map(({ prev_content }) => prev_content))
  }

  assert.deepEqual(await versions(), [['salary 1'], ['own 1']])
  for (const policy of ['moves', 'none']) {
    await ada.succeed('PATCH /realm', { message_edit_history_visibility_policy: policy })
    await chat.clock.advance(DAY + 1)
    assert.deepEqual(await versions(), [[], ['own 1']])
  }
})

test('the archive does not tell where messages went that were moved to a channel that the user cannot read', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada', { role: Role.owner }), await chat.user('ben')]
  const town = await chat.channel('town', [ada, ben])
  const board = await chat.channel('board', [ada], { isPrivate: true })
  const club = await chat.channel('club', [ada, ben], { isPrivate: true })
  const [moved] = [await sendToChannel(ben, town, 'first text'), await sendToChannel(ben, club, 'in the club')]
  await ben.succeed(`PATCH /messages/${moved}`, { content: 'last text' })
  await ada.succeed(`PATCH /messages/${moved}`, { stream_id: board.id, topic: 'layoffs', propagate_mode: 'change_all' })
  await ben.succeed('DELETE /users/me/subscriptions', { subscriptions: ['club'] })
  await ada.succeed(`PATCH /streams/${club.id}`, { new_name: 'secret club' })

  const read = await openArchive(chat, ben)
  const messages = await read('channel-messages-0001.json')
  const [edits] = messages.map((message) => message['edits'] as Row[])
  const everything = JSON.stringify([messages, await read('channels.json'), await read('topics.json')])

  assert.partialDeepStrictEqual(messages[0], { channel: null, topic: null, content: 'last text' })
  assert.deepEqual(
    edits?.map(({ prev_content }) => prev_content),
    ['first text'],
  )
  assert.partialDeepStrictEqual(messages[1], { channel: null, content: 'in the club' })
  assert.doesNotMatch(everything, /board|layoffs|secret club|prev_stream/)
})

test('only the user downloads the archive, and administrators neither see nor delete it', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada', { role: Role.owner }), await chat.user('ben')]

  const archive = await requestData(chat, ben)
  const path = pathOf(archive.url)
  const id = Number(path.split('/').at(-2))

  assert.equal((await fetchPage(chat, path, ben)).status, 200)
  assert.equal((await fetchPage(chat, path, ada)).status, 404)
  assert.deepEqual((await ada.succeed('GET /export/realm'))['exports'], [])
  assert.deepEqual(await ada.call(`DELETE /export/realm/${id}`), refusalResponse('Invalid data export ID'))
})

test('an archive is requested once a day, can be deleted, and expires after a week', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')

  const first = await requestData(chat, ben)
  assert.deepEqual(
    await ben.call('POST /users/me/data_export', {}),
    refusalResponse('You can request your data once a day. Try again later.'),
  )
  await ben.succeed('DELETE /users/me/data_export')
  assert.equal((await fetchPage(chat, pathOf(first.url), ben)).status, 404)
  assert.deepEqual(
    await ben.call('DELETE /users/me/data_export', {}),
    refusalResponse('There is no archive of your data to delete.'),
  )
  await chat.clock.advance(DAY + 1)
  const second = await requestData(chat, ben)
  assert.notEqual(second.url, null)
  await chat.clock.advance(7 * DAY + 1)
  await chat.app.jobs.dataExports.settled()

  assert.equal((await ben.succeed('GET /users/me/data_export'))['data_export'].url, null)
  assert.equal((await fetchPage(chat, pathOf(second.url), ben)).status, 404)
})
