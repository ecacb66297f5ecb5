import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { type Person, startChat } from '../../test/harness.ts'
import { addToChannel, fetchMessage, sendToChannel } from '../../test/messages.ts'

/** Renders the content for the person, and returns the targets of its links. */
async function linksOf(person: Person, content: string): Promise<string[]> {
  const { rendered } = await person.succeed('POST /messages/render', { content })
  return [...rendered.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)
}

test('a link to a topic contains its first message, whatever the case of the topic, and follows it when it is moved', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const design = await chat.channel('design', [ada])
  const first = await sendToChannel(ada, design, 'first', 'tea')
  await sendToChannel(ada, design, 'second', 'tea')
  const id = await sendToChannel(ada, design, 'see #**design>TEA**, #**design>cake** and #**design>tea@1**', 'other')

  const { content } = await fetchMessage(ada, id)
  await ada.succeed(`PATCH /messages/${first}`, { topic: 'chai', propagate_mode: 'change_all' })
  const { messages } = await ada.succeed('GET /messages', {
    anchor: 'newest',
    num_before: 5,
    num_after: 0,
    narrow: [
      { operator: 'channel', operand: design.id },
      { operator: 'topic', operand: 'TEA' },
      { operator: 'with', operand: first },
    ],
  })

  const to = `/#narrow/channel/${design.id}-design/topic`
  assert.deepEqual(
    [...content.matchAll(/href="([^"]*)"/g)].map(([, href]) => href),
    [`${to}/TEA/with/${first}`, `${to}/cake`, `${to}/tea/near/1`],
  )
  assert.deepEqual(
    messages.slice(0, 2).map(({ subject }: { subject: string }) => subject),
    ['chai', 'chai'],
  )
})

test('a link to a topic contains no message that its author may not read', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada', { role: Role.owner }), await chat.user('ben')]
  const gus = await chat.user('gus', { role: Role.guest })
  const hidden = await chat.channel('hidden', [ada], { isPrivate: true, isHistoryShared: false })
  const open = await chat.channel('open', [ada])
  const closed = await chat.channel('closed', [ben], { isPrivate: true, isHistoryShared: true })
  const beforeBen = await sendToChannel(ada, hidden, 'before Ben', 'plan')
  const inOpen = await sendToChannel(ada, open, 'for members', 'plan')
  await sendToChannel(ben, closed, 'for Ben', 'plan')
  await addToChannel(ada, hidden, [ben])

  const text = '#**hidden>plan** #**open>plan** #**closed>plan**'
  const beforeWord = await linksOf(ben, text)
  const word = await sendToChannel(ada, hidden, 'with Ben', 'plan')
  await sendToChannel(ada, hidden, 'later', 'plan')
  const [ofBen, ofAda, ofGus] = [await linksOf(ben, text), await linksOf(ada, text), await linksOf(gus, text)]

  const to = (channel: { id: number; name: string }, end: string) =>
    `/#narrow/channel/${channel.id}-${channel.name}/topic/plan${end}`
  const inClosed = (await linksOf(ben, '#**closed>plan**'))[0]
  assert.deepEqual(beforeWord, [to(hidden, ''), to(open, `/with/${inOpen}`), inClosed])
  assert.match(inClosed ?? '', /\/with\/\d+$/)
  assert.deepEqual(ofBen, [to(hidden, `/with/${word}`), to(open, `/with/${inOpen}`), inClosed])
  assert.deepEqual(ofAda, [to(hidden, `/with/${beforeBen}`), to(open, `/with/${inOpen}`)])
  assert.deepEqual(ofGus, [])
})

test('only the first of very many linked topics are looked up, each once regardless of its spelling', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const design = await chat.channel('design', [ada])
  const topics = Array.from({ length: 51 }, (_, number) => `topic ${number}`)
  for (const topic of topics) await sendToChannel(ada, design, 'hi', topic)
  const spelled = topics.flatMap((topic) => [topic, topic.toUpperCase()])

  const links = await linksOf(ada, spelled.map((topic) => `#**design>${topic}**`).join(' '))

  assert.deepEqual(
    links.map((link) => /\/with\/\d+$/.test(link)),
    [...Array(100).fill(true), false, false],
  )
})

test('a channel becomes a link only if its author may read it', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  await chat.channel('secret', [ben], { isPrivate: true })

  assert.deepEqual(await linksOf(ada, '#**secret**'), [])
  assert.equal((await linksOf(ben, '#**secret**')).length, 1)
})
