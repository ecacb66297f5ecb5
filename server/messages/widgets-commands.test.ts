import assert from 'node:assert/strict'
import test from 'node:test'
import { startChat } from '../../test/harness.ts'
import { fetchMessage, sendToChannel } from '../../test/messages.ts'
import { widgetContent } from './widgets.ts'

test('a poll has a question and options, and a to-do list a title and tasks; other content creates no widget', () => {
  const read = (content: string) => JSON.parse(widgetContent(content) ?? 'null')

  assert.deepEqual(read('/poll Where to?\n- Rome\n* Oslo\n\n  Paris '), {
    widget_type: 'poll',
    extra_data: { question: 'Where to?', options: ['Rome', 'Oslo', 'Paris'] },
  })
  assert.deepEqual(read('/todo\nbuy: milk: two\nsleep'), {
    widget_type: 'todo',
    extra_data: {
      task_list_title: '',
      tasks: [
        { task: 'buy', desc: 'milk: two' },
        { task: 'sleep', desc: '' },
      ],
    },
  })
  assert.deepEqual(read('/poll'), { widget_type: 'poll', extra_data: { question: '', options: [] } })
  for (const text of ['/polls a', ' /poll a', 'a /poll', '/me sings']) assert.equal(read(text), null)
})

test('sending a poll attaches a submessage that all recipients get and can vote on', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])

  const content = '/poll Where to?\nRome\nOslo'
  const { id } = await ada.succeed('POST /messages', { type: 'channel', to: design.name, topic: 'trip', content })

  const { submessages } = await fetchMessage(ben, id)
  assert.deepEqual(
    submessages.map(({ sender_id, content }: { sender_id: number; content: string }) => ({ sender_id, content })),
    [{ sender_id: ada.id, content: widgetContent(content) }],
  )
  const messageEvent = (await chat.eventsOf(ben)).find((event) => event['type'] === 'message')
  assert.partialDeepStrictEqual(messageEvent, { message: { content, submessages } })
  const vote = { message_id: id, msg_type: 'widget', content: '{"type":"vote","key":"canned,0","vote":1}' }
  assert.equal((await ben.call('POST /submessage', vote)).status, 200)
})

test('the content of a poll cannot be edited, but the poll can be moved', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const design = await chat.channel('design', [ada])
  const id = await sendToChannel(ada, design, '/poll Where to?\nRome')

  const edit = await ada.call(`PATCH /messages/${id}`, { content: '/poll Whither?\nRome' })
  const move = await ada.call(`PATCH /messages/${id}`, { topic: 'trip' })

  assert.deepEqual([edit.status, edit.msg, move.status], [400, 'Widgets cannot be edited.', 200])
})

test('a bot can attach a form to its message, and invalid forms are refused', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])
  const choice = { type: 'multiple_choice', short_name: 'A', long_name: 'Rome', reply: 'answer A' }
  const form = { widget_type: 'zform', extra_data: { type: 'choices', heading: 'Where to?', choices: [choice] } }
  const send = (widget_content: unknown) =>
    ada.call('POST /messages', { type: 'channel', to: design.name, topic: 'trip', content: 'A Rome', widget_content })

  const { id } = await send(JSON.stringify(form))
  const plain = await send('null')

  const { submessages } = await fetchMessage(ben, id)
  assert.deepEqual(
    submessages.map(({ msg_type, content }: { msg_type: string; content: string }) => [msg_type, JSON.parse(content)]),
    [['widget', form]],
  )
  assert.deepEqual((await fetchMessage(ben, plain['id'])).submessages, [])
  for (const widget of ['form', '[]', '{"widget_type":"zform"}', { ...form, widget_type: 'zgame' }])
    assert.equal((await send(widget)).status, 400)
})
