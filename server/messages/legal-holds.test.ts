import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { refusalResponse } from '../../test/channels.ts'
import { storedFiles, upload } from '../../test/files.ts'
import { type Chat, startChat } from '../../test/harness.ts'
import { sendDirect, sendToChannel } from '../../test/messages.ts'
import { endLegalHold, findHeldCopies, startLegalHold } from './legal-holds.ts'

async function startOffice() {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
  const [town, board] = [await chat.channel('town', [ada, ben, cleo]), await chat.channel('board', [ada, ben, cleo])]
  const hold = (on: { userId?: number; channelId?: number }) =>
    chat.app.services.transaction((tx) =>
      startLegalHold(tx, { realmId: chat.realm.id, userId: null, channelId: null, reason: 'A 12/30', ...on }),
    )
  return { chat, ada, ben, cleo, town, board, hold }
}

const copiesOf = async (chat: Chat) => findHeldCopies(chat.app.services.db, chat.realm.id)
const heldContents = async (chat: Chat) => (await copiesOf(chat)).messages.map(({ content }) => content)

test('a hold on a person keeps what they sent and their direct messages, and nothing of others', async () => {
  const { chat, ada, ben, cleo, town, hold } = await startOffice()
  await hold({ userId: ben.id })
  const ids = [
    await sendToChannel(ben, town, 'ben in town'),
    await sendToChannel(cleo, town, 'cleo in town'),
    await sendDirect(cleo, [ben], 'cleo to ben'),
    await sendDirect(cleo, [ada], 'cleo to ada'),
  ]

  for (const id of ids.slice(0, 2)) await ada.succeed(`DELETE /messages/${id}`)
  for (const id of ids.slice(2)) await cleo.succeed(`DELETE /messages/${id}`)

  assert.deepEqual(await heldContents(chat), ['ben in town', 'cleo to ben'])
  for (const id of ids) assert.equal((await ada.call(`GET /messages/${id}`)).status, 400)
})

test('a hold on a channel keeps messages and files that retention and users delete, until it ends', async () => {
  const { chat, ada, ben, town, board, hold } = await startOffice()
  const id = await hold({ channelId: town.id })
  const [file, other] = [await upload(chat, ben, { bytes: 'held' }), await upload(chat, ben, { bytes: 'not held' })]
  await sendToChannel(ben, town, `[held](${file})`)
  await sendToChannel(ben, board, `[not held](${other})`)
  await ada.succeed('PATCH /realm', { message_retention_days: 1 })
  for (const { id: attachment } of (await ben.succeed('GET /attachments'))['attachments'])
    await ben.succeed(`DELETE /attachments/${attachment}`)

  await chat.clock.advance(4 * 86_400)
  await chat.app.jobs.retention.settled()

  assert.deepEqual(await heldContents(chat), [`[held](${file})`])
  assert.deepEqual(
    (await copiesOf(chat)).files.map(({ place }) => file.includes(place)),
    [true],
  )
  assert.equal((await storedFiles(chat, 'uploads')).length, 1)

  await chat.app.services.transaction((tx) => endLegalHold(tx, chat.realm.id, id))
  assert.deepEqual(await copiesOf(chat), { messages: [], files: [] })
})

test('a message that is moved out of a held channel is kept, and one that was moved before the hold is not', async () => {
  const { chat, ada, ben, town, board, hold } = await startOffice()
  const moveOut = (id: number) => ada.succeed(`PATCH /messages/${id}`, { stream_id: board.id })
  const before = await sendToChannel(ben, town, 'moved before')
  await moveOut(before)
  await chat.clock.advance(60)
  const hold1 = await hold({ channelId: town.id })
  const [after, stays] = [await sendToChannel(ben, town, 'moved after'), await sendToChannel(ben, board, 'elsewhere')]
  await moveOut(after)

  for (const id of [before, after, stays]) await ada.succeed(`DELETE /messages/${id}`)

  assert.deepEqual(await heldContents(chat), ['moved after'])
  await chat.app.services.transaction((tx) => endLegalHold(tx, chat.realm.id, hold1))
  assert.deepEqual(await heldContents(chat), [])
})

test('a file stays that the edit of a message in a held channel removed, also when its owner deletes it', async () => {
  const { chat, ada, ben, town, board, hold } = await startOffice()
  const [onTown, onAda] = [await hold({ channelId: town.id }), await hold({ userId: ada.id })]
  const files = [
    await upload(chat, ben, { bytes: 'left alone' }),
    await upload(chat, ben, { bytes: 'deleted by hand' }),
    await upload(chat, ben, { bytes: 'not held' }),
  ]
  for (const [index, file] of files.entries()) {
    const id = await sendToChannel(ben, index < 2 ? town : board, `[plan](${file})`)
    await ben.succeed(`PATCH /messages/${id}`, { content: 'nothing' })
  }
  const attachments: { id: number; path_id: string }[] = (await ben.succeed('GET /attachments'))['attachments']
  const byHand = attachments.find(({ path_id }) => files[1]?.endsWith(path_id))
  await ben.succeed(`DELETE /attachments/${byHand?.id}`)
  const keptPlaces = async () => (await copiesOf(chat)).files.map(({ place }) => place)
  const expected = files.slice(0, 2).map((file) => file.split('/').slice(2, -1).join('/'))
  const cleanUp = async () => {
    await chat.clock.advance(86_400)
    await chat.app.jobs.uploadCleanup.settled()
    return (await storedFiles(chat, 'uploads')).length
  }

  await chat.app.services.transaction((tx) =>
    tx.updateTable('attachments').set({ unclaimedAt: 0 }).where('unclaimedAt', 'is not', null).execute(),
  )
  assert.deepEqual(await cleanUp(), 2)
  await chat.app.services.transaction((tx) => endLegalHold(tx, chat.realm.id, onAda))
  assert.deepEqual((await keptPlaces()).sort(), expected.sort())
  assert.deepEqual(await cleanUp(), 2)
  await chat.app.services.transaction((tx) => endLegalHold(tx, chat.realm.id, onTown))
  assert.deepEqual(await keptPlaces(), [])
  await cleanUp()
  assert.deepEqual(await cleanUp(), 0)
})

test('another hold keeps the copies when one ends', async () => {
  const { chat, ada, ben, town, hold } = await startOffice()
  const [onAll, onChannel] = [await hold({}), await hold({ channelId: town.id })]
  const id = await sendToChannel(ben, town, 'twice held')
  const direct = await sendDirect(ben, [ada], 'once held')
  await ben.succeed(`DELETE /messages/${id}`)
  await ben.succeed(`DELETE /messages/${direct}`)
  assert.deepEqual(await heldContents(chat), ['twice held', 'once held'])

  await chat.app.services.transaction((tx) => endLegalHold(tx, chat.realm.id, onAll))
  assert.deepEqual(await heldContents(chat), ['twice held'])
  await chat.app.services.transaction((tx) => endLegalHold(tx, chat.realm.id, onChannel))
  assert.deepEqual(await heldContents(chat), [])
})

test('a person on hold cannot be erased', async () => {
  const { chat, ada, ben, hold } = await startOffice()
  const id = await hold({ userId: ben.id })
  const refused = refusalResponse('A legal hold keeps the data of this user. End the hold first.')

  assert.deepEqual(await ada.call(`POST /users/${ben.id}/erasure`), refused)
  await chat.app.services.transaction((tx) => endLegalHold(tx, chat.realm.id, id))
  assert.equal((await ada.call(`POST /users/${ben.id}/erasure`)).status, 200)
})
