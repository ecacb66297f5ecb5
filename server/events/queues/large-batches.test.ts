import assert from 'node:assert/strict'
import test from 'node:test'
import { MAX_RESPONSE_BYTES } from '#lib/protocol.ts'
import { startChat } from '../../../test/harness.ts'
import { sendToChannel } from '../../../test/messages.ts'

/** A message that renders to about 400 kB of HTML. */
const LARGE = '👍'.repeat(5000)

test('a batch of events ends where the response would become too large; the next polls return the rest', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])
  const queue = await ben.succeed('POST /register', { event_types: ['message'], apply_markdown: true })
  const ids: number[] = []
  for (let turn = 0; turn < 24; turn += 1) ids.push(await sendToChannel(ada, design, LARGE))

  const received: number[] = []
  let polls = 0
  for (let last = queue['last_event_id']; received.length < ids.length; polls += 1) {
    const poll = { queue_id: queue['queue_id'], last_event_id: last, dont_block: true }
    const { events, ...rest } = await ben.succeed('GET /events', poll)
    assert.ok(events.length > 0)
    const size = Buffer.byteLength(JSON.stringify({ events, ...rest }))
    assert.ok(size <= MAX_RESPONSE_BYTES, `${size}`)
    received.push(...events.map((event: { message: { id: number } }) => event.message.id))
    last = events.at(-1).id
  }

  assert.deepEqual(received, ids)
  assert.equal(polls, 2)
})

test('a pending poll receives as many events as fit into one response, and the next poll the rest', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const events = Array.from({ length: 4 }, (_, number) => ({
    type: 'alert_words' as const,
    alert_words: [String(number), 'x'.repeat(3_000_000)],
  }))
  const queue = await ben.succeed('POST /register', { event_types: ['alert_words'] })
  const poll = (last_event_id: number) => ben.succeed('GET /events', { queue_id: queue['queue_id'], last_event_id })

  const waiting = poll(queue['last_event_id'])
  await chat.app.services.transaction(async (tx) => {
    for (const event of events) tx.emit(chat.realm.id, event, [ada.id, ben.id])
  })
  const first = (await waiting)['events']
  const second = (await poll(first.at(-1).id))['events']

  const numbers = [first, second].map((batch) => batch.map((event: { alert_words: string[] }) => event.alert_words[0]))
  assert.deepEqual(numbers, [
    ['0', '1'],
    ['2', '3'],
  ])
})
