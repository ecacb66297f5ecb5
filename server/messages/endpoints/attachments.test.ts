import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { storedFiles, upload } from '../../../test/files.ts'
import { type Chat, type Person, START, startChat } from '../../../test/harness.ts'
import { sendDirect, sendToChannel } from '../../../test/messages.ts'

const CREATED = START * 1000

const pathOf = (url: string) => url.slice('/user_uploads/'.length)

const attachmentEvents = async (chat: Chat, person: Person) =>
  (await chat.eventsOf(person)).filter(({ type }) => type === 'attachment')

/** Returns the ids of the messages that `has` with this operand finds. */
async function idsIn(person: Person, operand: string): Promise<number[]> {
  const narrow = [{ operator: 'has', operand }]
  const { messages } = await person.succeed('GET /messages', { anchor: 'newest', num_before: 10, num_after: 0, narrow })
  return messages.map(({ id }: { id: number }) => id)
}

test('the list of own files contains the messages that link to them', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const [first, second] = [await upload(chat, ben), await upload(chat, ben, { name: 'b', bytes: '12' })]
  await upload(chat, cleo, { bytes: '123' })
  const [one, two] = [
    await sendDirect(ben, [cleo], `[a](${first}) [a](${first})`),
    await sendDirect(cleo, [ben], `[b](${first})`),
  ]

  const { attachments, upload_space_used } = await ben.succeed('GET /attachments')

  assert.equal(upload_space_used, 10)
  assert.deepEqual(
    attachments.map(({ id, ...rest }: { id: number }) => rest),
    [
      { name: 'b', path_id: pathOf(second), size: 2, create_time: CREATED, messages: [] },
      {
        name: 'note.txt',
        path_id: pathOf(first),
        size: 5,
        create_time: CREATED,
        messages: [
          { date_sent: CREATED, id: one },
          { date_sent: CREATED, id: two },
        ],
      },
    ],
  )
})

test('messages that the owner may not read are not listed', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const [cleo, dora] = [await chat.user('cleo'), await chat.user('dora')]
  const url = await upload(chat, ben)
  const shared = await sendDirect(ben, [cleo], `[a](${url})`)

  await sendDirect(cleo, [dora], `[a](${url})`)

  const expected = [{ date_sent: CREATED, id: shared }]
  assert.deepEqual((await ben.succeed('GET /attachments'))['attachments'][0].messages, expected)
  for (const event of (await attachmentEvents(chat, ben)).slice(1))
    assert.deepEqual((event['attachment'] as { messages: unknown }).messages, expected)
})

test('the owner receives events when a file is uploaded, linked, unlinked and deleted', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const [first, second] = [await upload(chat, ben), await upload(chat, ben)]
  const id = await sendDirect(ben, [cleo], `[a](${first})`)
  await ben.succeed(`PATCH /messages/${id}`, { content: `[b](${second})` })
  await ben.succeed(`PATCH /messages/${id}`, { content: `[c](${second})` })
  await ben.succeed(`DELETE /messages/${id}`)
  const { attachments } = await ben.succeed('GET /attachments')

  await ben.succeed(`DELETE /attachments/${attachments[0].id}`)

  const claim = [{ date_sent: CREATED, id }]
  const file = (url: string, messages: unknown[]) => {
    const own = attachments.find(({ path_id }: { path_id: string }) => path_id === pathOf(url))
    return { id: own.id, name: 'note.txt', path_id: pathOf(url), size: 5, create_time: CREATED, messages }
  }
  const event = (op: string, attachment: unknown, upload_space_used = 10) => ({
    type: 'attachment',
    op,
    attachment,
    upload_space_used,
  })
  assert.deepEqual(await attachmentEvents(chat, ben), [
    event('add', file(first, []), 5),
    event('add', file(second, [])),
    event('update', file(first, claim)),
    event('update', file(first, [])),
    event('update', file(second, claim)),
    event('update', file(second, [])),
    event('remove', { id: attachments[0].id }, 5),
  ])
  assert.deepEqual(await attachmentEvents(chat, cleo), [])
})

test('has:attachment finds messages while they link to files', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const eve = await chat.user('eve')
  const design = await chat.channel('design', [ben, eve])
  const [first, second] = [await upload(chat, ben), await upload(chat, ben)]
  const own = await sendToChannel(ben, design, `[a](${first}) [b](${second})`)
  const edited = await sendToChannel(ben, design, 'no file')
  const pretended = await sendToChannel(eve, design, '[a](/user_uploads/1/ab/abcdefghijklmnopqrstuvwx/a.png)')

  await ben.succeed(`PATCH /messages/${edited}`, { content: `[a](${first})` })
  const before = await idsIn(ben, 'attachment')
  const { attachments } = await ben.succeed('GET /attachments')
  await ben.succeed(`DELETE /attachments/${attachments[1].id}`)
  const afterOne = await idsIn(ben, 'attachment')
  await ben.succeed(`DELETE /attachments/${attachments[0].id}`)

  assert.deepEqual(before, [own, edited])
  assert.deepEqual(afterOne, [own])
  assert.deepEqual(await idsIn(ben, 'attachment'), [])
  assert.deepEqual(await idsIn(ben, 'link'), [own, edited, pretended])
  assert.deepEqual(await idsIn(ben, 'image'), [])
})

test('only the owner can delete a file', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const ben = await chat.user('ben')
  await upload(chat, ben)
  const { attachments } = await ben.succeed('GET /attachments')

  const byOther = await ada.call(`DELETE /attachments/${attachments[0].id}`)
  const unknown = await ada.call('DELETE /attachments/99999')
  await ben.succeed(`DELETE /attachments/${attachments[0].id}`)
  const again = await ben.call(`DELETE /attachments/${attachments[0].id}`)

  const invalid = { status: 400, result: 'error', msg: 'Invalid attachment', code: 'BAD_REQUEST' }
  assert.deepEqual([byOther, unknown, again], [invalid, invalid, invalid])
  assert.deepEqual(await storedFiles(chat), [])
})

test('deleting a topic unlinks its files', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const ben = await chat.user('ben')
  const design = await chat.channel('design', [ada, ben])
  const url = await upload(chat, ben)
  for (let times = 0; times < 2; times += 1) await sendToChannel(ben, design, `[a](${url})`)

  await ada.succeed(`POST /streams/${design.id}/delete_topic`, { topic_name: 'tea' })

  assert.deepEqual((await ben.succeed('GET /attachments'))['attachments'][0].messages, [])
  assert.partialDeepStrictEqual((await attachmentEvents(chat, ben)).at(-1), {
    op: 'update',
    attachment: { messages: [] },
  })
  assert.deepEqual(await idsIn(ben, 'attachment'), [])
})

test('the response to an edit names own files that lost their last link', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const [first, second, cleosFile] = [await upload(chat, ben), await upload(chat, ben), await upload(chat, cleo)]
  await sendDirect(cleo, [ben], `[c](${cleosFile})`)
  const id = await sendDirect(ben, [cleo], `[a](${first}) [b](${second}) [c](${cleosFile})`)
  await sendDirect(ben, [cleo], `[b](${second})`)

  const edited = await ben.succeed(`PATCH /messages/${id}`, { content: 'nothing' })
  const again = await ben.succeed(`PATCH /messages/${id}`, { content: 'nothing else' })

  assert.deepEqual(
    edited['detached_uploads'].map(({ path_id }: { path_id: string }) => path_id),
    [pathOf(first)],
  )
  assert.deepEqual(again['detached_uploads'], [])
})
