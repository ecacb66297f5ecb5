import assert from 'node:assert/strict'
import test from 'node:test'
import { startChat } from '../../../test/harness.ts'
import { fetchMessage, invalidMessage, sendDirect, sendToChannel } from '../../../test/messages.ts'

test('the versions of a message are returned oldest first, each with the changes of its edit', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  await chat.clock.advance(0.75)
  const id = await sendToChannel(ada, await chat.channel('design', [ada]), 'one', '')
  const sentAt = Math.floor(chat.clock.now())
  await chat.clock.advance(1)
  await ada.succeed(`PATCH /messages/${id}`, { content: 'two' })
  await chat.clock.advance(1)
  await ada.succeed(`PATCH /messages/${id}`, { topic: 'tea' })

  const { message_history } = await ada.succeed(`GET /messages/${id}/history`)

  const old = { content: 'one', rendered_content: '<p>one</p>' }
  const now = { content: 'two', rendered_content: '<p>two</p>' }
  assert.deepEqual(message_history, [
    { topic: 'general chat', ...old, timestamp: sentAt, user_id: ada.id },
    {
      topic: 'general chat',
      ...now,
      timestamp: sentAt + 1,
      user_id: ada.id,
      prev_content: 'one',
      prev_rendered_content: '<p>one</p>',
      content_html_diff:
        '<div><p><span class="highlight_text_inserted">two</span><span class="highlight_text_deleted">one</span></p></div>',
    },
    { topic: 'tea', ...now, timestamp: sentAt + 2, user_id: ada.id, prev_topic: 'general chat' },
  ])

  for (const [allow_empty_topic_name, empty] of [
    [false, 'general chat'],
    [true, ''],
  ] as const) {
    const versions = (await ada.succeed(`GET /messages/${id}/history`, { allow_empty_topic_name }))['message_history']
    assert.deepEqual(
      versions.map(({ topic }: { topic: string }) => topic),
      [empty, empty, 'tea'],
    )
    const message = await fetchMessage(ada, id, { allow_empty_topic_name })
    assert.equal(message.edit_history[0].prev_topic, empty)
    assert.deepEqual([message.last_edit_timestamp, message.last_moved_timestamp], [sentAt + 1, sentAt + 2])
  }
})

test('the policy "moves" shows no earlier content, and the policy "none" no history', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const id = await sendToChannel(ada, await chat.channel('design', [ada]), 'secret', 'tea')
  await ada.succeed(`PATCH /messages/${id}`, { content: 'public', topic: 'coffee' })

  await chat.change({ message_edit_history_visibility_policy: 'moves' })
  const { message_history } = await ada.succeed(`GET /messages/${id}/history`)
  assert.deepEqual(
    message_history.map((version: { topic: string; content: string }) => [version.topic, version.content]),
    [
      ['tea', 'public'],
      ['coffee', 'public'],
    ],
  )
  assert(!JSON.stringify(message_history).includes('secret'))

  await chat.change({ message_edit_history_visibility_policy: 'none' })
  const { msg } = await ada.call(`GET /messages/${id}/history`)
  assert.equal(msg, 'Message edit history is disabled in this organization')
})

test('the history of a message that the user may not read is refused like that of a missing message', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]

  const id = await sendDirect(ada, [ada])

  assert.equal((await ada.succeed(`GET /messages/${id}/history`))['message_history'][0].topic, '')
  assert.deepEqual(await ben.call(`GET /messages/${id}/history`), invalidMessage)
  await chat.change({ message_edit_history_visibility_policy: 'none' })
  assert.deepEqual(await ben.call(`GET /messages/${id}/history`), invalidMessage)
})
