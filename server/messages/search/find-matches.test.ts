import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Person, startChat } from '../../../test/harness.ts'
import { sendDirect, sendToChannel } from '../../../test/messages.ts'
import { byRelevance } from './find-matches.ts'
import { parsePhrases } from './phrases.ts'

const RANGE = { anchor: 'newest', num_before: 100, num_after: 0, order: 'relevance' }

async function find(person: Person, text: string, params: object = {}): Promise<number[]> {
  const page = await person.succeed('GET /messages', { ...RANGE, narrow: [['search', text]], ...params })
  return page['messages'].map(({ id }: { id: number }) => id)
}

async function startTalk() {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])
  return { chat, ada, ben, design }
}

const FILLER = 'and so on about many other things that nobody will ever look for '.repeat(4)

test('a search by relevance ranks short messages, topics, and words close to each other first', async () => {
  const { ada, ben, design } = await startTalk()
  const inTopic = await sendToChannel(ada, design, 'We agree on the date', 'deploy')
  const often = await sendToChannel(ada, design, 'deploy, then deploy again')
  const direct = await sendDirect(ada, [ben], 'Please deploy the new server')
  const long = await sendToChannel(ada, design, `${FILLER} we deploy ${FILLER}`)
  const far = await sendToChannel(ada, design, `a server ${FILLER} to deploy`)

  assert.deepEqual(await find(ben, 'deploy'), [inTopic, often, direct, far, long])
  assert.deepEqual(await find(ben, 'deploy server'), [direct, far])
  assert.deepEqual(await find(ben, 'deploy', { num_before: 2 }), [inTopic, often])
  assert.deepEqual(await find(ben, '?!'), [])
})

test('a word that is repeated in a search counts once', async () => {
  const { ada, ben, design } = await startTalk()
  const near = await sendToChannel(ada, design, 'the red car of his old aunt')
  const far = await sendToChannel(ada, design, 'the red roof of his old car')

  assert.deepEqual(await find(ben, 'red red car'), [near, far])
  const narrow = ['red', 'red', 'car'].map((word) => ['search', word])
  assert.deepEqual(await find(ben, '', { narrow }), [near, far])
})

test('of equally relevant messages the newest come first, whatever the other results are', () => {
  const text = (id: number, renderedContent: string) => ({ id, topic: 'tea', renderedContent })
  const texts = [text(1, '<p>red car</p>'), text(2, '<p>red <b>car</b></p>'), text(3, '<p>a car that was red once</p>')]

  const ids = byRelevance(texts, parsePhrases('red car')).map(({ id }) => id)

  assert.deepEqual(ids, [2, 1, 3])
})

test('a page says if all matches are in it, and highlights them', async () => {
  const { ada, ben, design } = await startTalk()
  for (let number = 0; number < 3; number++) await sendToChannel(ada, design, `apple ${number}`)
  const narrow = [['search', 'apples']]

  const all = await ben.succeed('GET /messages', { ...RANGE, narrow })
  const some = await ben.succeed('GET /messages', { ...RANGE, narrow, num_before: 2 })

  assert.equal(all['messages'][0].match_content, '<p><span class="highlight">apple</span> 2</p>')
  assert.deepEqual([all['found_oldest'], all['found_newest'], all['messages'].length], [true, true, 3])
  assert.deepEqual([some['found_oldest'], some['found_newest'], some['messages'].length], [false, true, 2])
})

test('a search by relevance finds no message that the user may not read', async () => {
  const { chat, ada, ben, design } = await startTalk()
  const secret = await chat.channel('secret', [ada], { isPrivate: true })
  await sendToChannel(ada, secret, 'treasure')
  await sendDirect(ada, [ada], 'treasure')
  const id = await sendToChannel(ada, design, 'treasure')

  assert.deepEqual(await find(ben, 'treasure'), [id])
  assert.deepEqual(
    await find(ben, '', {
      narrow: [
        ['search', 'treasure'],
        ['channels', 'public'],
      ],
    }),
    [id],
  )
  assert.deepEqual(
    await find(ben, '', {
      narrow: [
        ['search', 'treasure'],
        ['sender', 'ben@example.com'],
      ],
    }),
    [],
  )
})

test('only searches for words, from the newest message on, are ordered by relevance', async () => {
  const { ada } = await startTalk()
  const refusal = async (params: object) => {
    const { status, msg } = await ada.call('GET /messages', { ...RANGE, narrow: [['search', 'tea']], ...params })
    return [status, msg]
  }

  const noSearch = [400, 'Only searches for words can be ordered by relevance']
  assert.deepEqual(await refusal({ narrow: [['sender', 'me']] }), noSearch)
  assert.deepEqual(await refusal({ narrow: [{ operator: 'search', operand: 'tea', negated: true }] }), noSearch)
  const badRange = [400, 'order=relevance needs anchor=newest, num_after=0 and num_before of at most 100']
  for (const params of [{ anchor: 'oldest' }, { anchor: 7 }, { num_after: 1 }, { num_before: 101 }])
    assert.deepEqual(await refusal(params), badRange)
  const byIds = { narrow: [], message_ids: [1], anchor: undefined, num_before: undefined, num_after: undefined }
  assert.deepEqual(await refusal(byIds), [
    400,
    'Unsupported parameter combination: num_before, num_after, anchor, message_ids, include_anchor, use_first_unread_anchor',
  ])
  assert.deepEqual(await refusal({ order: 'size' }), [
    400,
    'Invalid order: Value error, Not in the list of possible values',
  ])
})
