import assert from 'node:assert/strict'
import test from 'node:test'
import { MAX_RESPONSE_BYTES } from '#lib/protocol.ts'
import { startChat } from '../../../test/harness.ts'
import { fetchMessage, sendToChannel } from '../../../test/messages.ts'
import { type EditEntry, trimHistory } from '../message.ts'

const edit = (timestamp: number, prev_content: string): EditEntry => ({ user_id: timestamp, timestamp, prev_content })

test('a history of at most 100 short edits is kept unchanged', () => {
  const entries = Array.from({ length: 100 }, (_, index) => edit(100 - index, String(99 - index)))

  assert.equal(trimHistory(entries), entries)
})

test('beyond 100 edits, the oldest are merged into one that starts at the original message', () => {
  const entries = Array.from({ length: 103 }, (_, index) => edit(103 - index, String(102 - index)))

  const trimmed = trimHistory(entries)

  assert.equal(trimmed.length, 100)
  assert.deepEqual(trimmed.slice(0, 99), entries.slice(0, 99))
  // Edits 1 to 4 are merged: the original text was "0", and the fourth edit made it "4", which the fifth changed.
  assert.deepEqual(trimmed[99], edit(4, '0'))
})

test('merged edits lead from the first topic and channel to the last', () => {
  const entries: EditEntry[] = [
    { user_id: 3, timestamp: 3, prev_topic: 'b', topic: 'c' },
    { user_id: 2, timestamp: 2, prev_stream: 7, stream: 8 },
    { user_id: 1, timestamp: 1, prev_content: 'x', prev_topic: 'a', topic: 'b' },
  ]

  const joined = { user_id: 3, timestamp: 3, prev_content: 'x', prev_topic: 'a', topic: 'c', prev_stream: 7, stream: 8 }
  assert.deepEqual(trimHistory(entries, 1), [joined])
})

test('merging a move and its reversal leaves no entry', () => {
  const there = { user_id: 1, timestamp: 1, prev_topic: 'a', topic: 'b' }
  const back = { user_id: 2, timestamp: 2, prev_topic: 'b', topic: 'a' }
  const latest = { user_id: 3, timestamp: 3, prev_topic: 'a', topic: 'c' }

  assert.deepEqual(trimHistory([latest, back, there], 2), [latest])
})

test('long old content is kept up to 2,300,000 bytes', () => {
  const entries = Array.from({ length: 60 }, (_, index) => edit(60 - index, 'é'.repeat(25_000)))

  const trimmed = trimHistory(entries)

  assert.ok(Buffer.byteLength(JSON.stringify(trimmed)) <= 2_300_000)
  assert.deepEqual(trimmed.slice(0, 44), entries.slice(0, 44))
})

test('a message with very many edits keeps its original text and its latest versions', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const id = await sendToChannel(ada, await chat.channel('design', [ada]), 'text 0')
  for (let turn = 1; turn <= 103; turn += 1) await ada.succeed(`PATCH /messages/${id}`, { content: `text ${turn}` })

  const { edit_history } = await fetchMessage(ada, id)
  const { message_history } = await ada.succeed(`GET /messages/${id}/history`)

  assert.equal(edit_history.length, 100)
  assert.deepEqual([edit_history[0].prev_content, edit_history[99].prev_content], ['text 102', 'text 0'])
  const texts = message_history.map((version: { content: string }) => version.content)
  assert.deepEqual(texts.slice(0, 3), ['text 0', 'text 4', 'text 5'])
  assert.equal(texts.at(-1), 'text 103')
})

test('the history of long messages with many moves fits into a response', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const id = await sendToChannel(ada, await chat.channel('design', [ada]), '👍'.repeat(5000), 'topic 0')
  for (let turn = 1; turn <= 20; turn += 1) await ada.succeed(`PATCH /messages/${id}`, { topic: `topic ${turn}` })

  const { message_history } = await ada.succeed(`GET /messages/${id}/history`)

  assert.ok(Buffer.byteLength(JSON.stringify(message_history)) < MAX_RESPONSE_BYTES)
  const topics = message_history.map((version: { topic: string }) => version.topic)
  assert.deepEqual([topics[0], topics.at(-1)], ['topic 0', 'topic 20'])
})
