import assert from 'node:assert/strict'
import test from 'node:test'
import { MAX_RESPONSE_BYTES } from '#lib/protocol.ts'
import { type Body, type Chat, type Person, startChat } from '../../../test/harness.ts'
import { sendToChannel } from '../../../test/messages.ts'

/** A message that renders to about 400 kB of HTML. */
const LARGE = '👍'.repeat(5000)

let started: ReturnType<typeof startLargeChannel> | null = null

/** Returns the channel that all tests share. They only read it. */
const openLargeChannel = () => {
  started ??= startLargeChannel()
  return started
}

/** Starts a channel with small messages and 24 large ones. The large messages exceed the size of one response. */
async function startLargeChannel() {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])
  const ids: number[] = []
  for (let turn = 0; turn < 24; turn += 1) {
    ids.push(await sendToChannel(ada, design, LARGE))
    ids.push(await sendToChannel(ada, design, 'small'))
  }
  return { chat, ben, design, ids }
}

const idsOf = (page: Body): number[] => page['messages'].map(({ id }: { id: number }) => id)

/** Returns a response and the size of its body in bytes. */
async function fetchMeasured(
  chat: Chat,
  person: Person,
  params: Record<string, unknown>,
): Promise<{ page: Body; size: number }> {
  const query = new URLSearchParams(Object.entries(params).map(([name, value]) => [name, String(value)]))
  const { bytes, body, status } = await chat.request({
    method: 'GET',
    path: `/api/v1/messages?${query}`,
    headers: { host: 'parley.test', authorization: `Basic ${btoa(`${person.email}:${person.apiKey}`)}` },
  })
  assert.equal(status, 200)
  return { page: JSON.parse(body), size: bytes.length }
}

test('a list ends before the response becomes too large, and shows at which end there is more', async () => {
  const { chat, ben, ids } = await openLargeChannel()
  const middle = ids[25] as number

  const newest = await fetchMeasured(chat, ben, { anchor: 'newest', num_before: 100, num_after: 0 })
  const oldest = await fetchMeasured(chat, ben, { anchor: 'oldest', num_before: 0, num_after: 100 })
  const around = await fetchMeasured(chat, ben, { anchor: middle, num_before: 100, num_after: 100 })
  const few = await fetchMeasured(chat, ben, { anchor: 'newest', num_before: 10, num_after: 0 })

  for (const { size } of [newest, oldest, around]) assert.ok(size > 6_000_000 && size <= MAX_RESPONSE_BYTES, `${size}`)
  assert.deepEqual(idsOf(newest.page), ids.slice(-idsOf(newest.page).length))
  assert.deepEqual(idsOf(oldest.page), ids.slice(0, idsOf(oldest.page).length))
  const [first] = idsOf(around.page)
  const start = ids.indexOf(first as number)
  assert.deepEqual(idsOf(around.page), ids.slice(start, start + idsOf(around.page).length))
  assert.ok(idsOf(around.page).includes(middle))
  const ends = ({ page }: { page: Body }) => [page['found_oldest'], page['found_newest']]
  assert.deepEqual([newest, oldest, around, few].map(ends), [
    [false, true],
    [true, false],
    [false, false],
    [false, true],
  ])
  assert.equal(idsOf(few.page).length, 10)
})

test('a client that continues from its last message gets all messages', async () => {
  const { ben, design, ids } = await openLargeChannel()
  const narrow = [['channel', design.name]]

  const read: number[] = []
  for (let isOver = false; !isOver; ) {
    const anchor = read[0] ?? 'newest'
    const params = { anchor, include_anchor: false, num_before: 100, num_after: 0, narrow }
    const page = await ben.succeed('GET /messages', params)
    read.unshift(...idsOf(page))
    isOver = page['found_oldest']
  }

  assert.deepEqual(read, ids)
})

test('of messages requested by id, the first ones that fit are returned', async () => {
  const { chat, ben, ids } = await openLargeChannel()

  const { page, size } = await fetchMeasured(chat, ben, { message_ids: JSON.stringify(ids) })

  assert.ok(size > 6_000_000 && size <= MAX_RESPONSE_BYTES, `${size}`)
  assert.deepEqual(idsOf(page), ids.slice(0, idsOf(page).length))
})

test('a list that is read in several batches is complete and in order, by range and by ids', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const plans = await chat.channel('plans', [ada, ben])
  const ids: number[] = []
  for (let turn = 0; turn < 520; turn += 1) ids.push(await sendToChannel(ada, plans, `message ${turn}`))

  const range = { anchor: 'newest', num_before: 600, num_after: 0, narrow: [['channel', 'plans']] }
  assert.deepEqual(idsOf(await ben.succeed('GET /messages', range)), ids)
  assert.deepEqual(idsOf(await ben.succeed('GET /messages', { message_ids: ids.toReversed() })), ids)
})
