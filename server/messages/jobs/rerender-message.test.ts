import assert from 'node:assert/strict'
import test from 'node:test'
import { RENDERER_VERSION } from '#markdown/render.ts'
import { saveUserFields } from '#people/user-queries.ts'
import { saveLinkifier } from '#realms/linkifiers.ts'
import { Role } from '#rules/role.ts'
import { type Chat, startChat } from '../../../test/harness.ts'
import { fetchMessage, sendDirect, sendToChannel } from '../../../test/messages.ts'
import { rerenderMessage, saveRerendering } from './rerender-message.ts'

/** Changes the HTML of the messages, and marks it as produced by the previous renderer. */
async function makeOutdated(chat: Chat, ids: readonly number[], change: (html: string) => string = () => '<p>old</p>') {
  const { db, transaction } = chat.app.services
  const rows = await db.selectFrom('messages').select(['id', 'renderedContent']).where('id', 'in', ids).execute()
  await transaction(async (tx) => {
    for (const { id, renderedContent } of rows) {
      const aged = { renderedContent: change(renderedContent), renderedVersion: RENDERER_VERSION - 1 }
      await tx.updateTable('messages').set(aged).where('id', '=', id).execute()
    }
  })
}

const versionOf = async (chat: Chat, id: number) =>
  (
    await chat.app.services.db
      .selectFrom('messages')
      .select('renderedVersion')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  ).renderedVersion

test('a message from an older renderer is rendered again after it is read, without events', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const design = await chat.channel('design', [ada])
  const id = await sendToChannel(ada, design, '**new** `code`')
  const before = await fetchMessage(ada, id)
  await makeOutdated(chat, [id])
  const eventCount = (await chat.eventsOf(ada)).length

  assert.equal((await fetchMessage(ada, id)).content, '<p>old</p>')
  await chat.app.jobs.rerendering.settled()

  assert.deepEqual(await fetchMessage(ada, id), before)
  assert.equal(await versionOf(chat, id), RENDERER_VERSION)
  assert.equal((await chat.eventsOf(ada)).length, eventCount)
})

test('all messages of a page are rendered again, including direct messages and formulas, and can be found by search', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada])
  const ids = [
    await sendToChannel(ada, design, 'walnut'),
    await sendToChannel(ada, design, '$$x$$ https://example.com'),
    await sendDirect(ada, [ben]),
  ]
  const page = { anchor: 'newest', num_before: 10, num_after: 0 }
  const before = (await ada.succeed('GET /messages', page)).messages
  await makeOutdated(chat, ids)

  await ada.succeed('GET /messages', page)
  await chat.app.jobs.rerendering.settled()

  assert.deepEqual((await ada.succeed('GET /messages', page)).messages, before)
  for (const [operator, operand, found] of [
    ['search', 'walnut', ids[0]],
    ['has', 'link', ids[1]],
  ] as const) {
    const { messages } = await ada.succeed('GET /messages', { ...page, narrow: [{ operator, operand }] })
    assert.deepEqual(
      messages.map((message: { id: number }) => message.id),
      [found],
    )
  }
})

test('reading many outdated messages is not delayed, and all of them are rendered again in batches', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const design = await chat.channel('design', [ada])
  const ids: number[] = []
  for (let number = 0; number < 45; number++) ids.push(await sendToChannel(ada, design, `number ${number}`))
  await makeOutdated(chat, ids)
  const page = { anchor: 'newest', num_before: 100, num_after: 0 }
  const contents = async () =>
    (await ada.succeed('GET /messages', page)).messages.map(({ content }: { content: string }) => content)

  const first = await contents()
  await chat.app.jobs.rerendering.settled()

  assert.ok(first.every((content: string) => content === '<p>old</p>'))
  assert.deepEqual(
    await contents(),
    ids.map((_, number) => `<p>number ${number}</p>`),
  )
})

test('messages fetched by id, and messages whose history is fetched, are rendered again', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const design = await chat.channel('design', [ada])
  const [first, second] = [await sendToChannel(ada, design, 'one'), await sendToChannel(ada, design, 'two')]
  await makeOutdated(chat, [first, second])

  await ada.succeed('GET /messages', { message_ids: [first] })
  await ada.succeed(`GET /messages/${second}/history`)
  await chat.app.jobs.rerendering.settled()

  assert.deepEqual([await versionOf(chat, first), await versionOf(chat, second)], [RENDERER_VERSION, RENDERER_VERSION])
})

test('a message rendered again keeps its references, even if users have been renamed', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada', { role: Role.administrator }), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])
  const id = await sendToChannel(ada, design, '@**Ben** @**Cleo** #**design>x** @**all** #12')
  const before = await fetchMessage(ben, id)
  const { transaction } = chat.app.services
  await transaction(async (tx) => {
    await saveUserFields(tx, ben.id, { fullName: 'Benjamin' })
    await saveLinkifier(tx, chat.realm.id, { pattern: '#(?P<n>[0-9]+)', urlTemplate: 'https://example.com/{n}' })
  })
  await chat.user('cleo')
  await ada.succeed(`PATCH /streams/${design.id}`, { new_name: 'drawing' })
  await makeOutdated(chat, [id], (html) => html.replace('<p>', '<p class="old">'))

  await fetchMessage(ben, id)
  await chat.app.jobs.rerendering.settled()

  const after = await fetchMessage(ben, id)
  assert.equal(after.content, before.content.replace('#12', '<a href="https://example.com/12">#12</a>'))
  assert.deepEqual(after.flags, before.flags)
})

test('an edit during the rendering is kept', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const design = await chat.channel('design', [ada])
  const id = await sendToChannel(ada, design, 'first')
  await makeOutdated(chat, [id])
  const { db, transaction } = chat.app.services

  const rerendering = await rerenderMessage(db, id)
  await ada.succeed(`PATCH /messages/${id}`, { content: 'second' })
  assert.ok(rerendering !== null)
  await transaction((tx) => saveRerendering(tx, rerendering))

  assert.equal((await fetchMessage(ada, id)).content, '<p>second</p>')
})

test('a message that cannot be rendered keeps its old HTML', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const design = await chat.channel('design', [ada])
  const id = await sendToChannel(ada, design, 'x')
  await makeOutdated(chat, [id])
  const content = `$$\\begin{matrix}${'&'.repeat(1900)}\\end{matrix}$$`
  await chat.app.services.transaction((tx) =>
    tx.updateTable('messages').set({ content }).where('id', '=', id).execute(),
  )

  await fetchMessage(ada, id)
  await chat.app.jobs.rerendering.settled()

  assert.equal((await fetchMessage(ada, id)).content, '<p>old</p>')
  await ada.succeed(`PATCH /messages/${id}`, { content: 'short' })
  assert.equal((await fetchMessage(ada, id)).content, '<p>short</p>')
})

test('pictures of other sites have addresses of this server even before an old message is rendered again', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const design = await chat.channel('design', [ada])
  const id = await sendToChannel(ada, design, 'see https://example.com/cat.png')
  const { content } = await fetchMessage(ada, id)
  const age = () => makeOutdated(chat, [id], (html) => html.replace(/src="[^"]*"/, 'src="https://example.com/cat.png"'))
  const search = { anchor: 'newest', num_before: 1, num_after: 0, narrow: [{ operator: 'search', operand: 'see' }] }

  await age()
  const first = await fetchMessage(ada, id)
  await chat.app.jobs.rerendering.settled()
  await age()
  const [found] = (await ada.succeed('GET /messages', search)).messages

  assert.match(content, /src="\/external_content\//)
  assert.equal(first.content, content)
  assert.equal(found.content, content)
  assert.doesNotMatch(found.match_content, /src="https:/)
})
