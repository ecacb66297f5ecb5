import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readWidget } from './widgets.ts'

const [ada, ben] = [1, 2]

const messageOf = (widget: unknown, ...changes: [sender: number, data: unknown][]) => ({
  sender_id: ada,
  submessages: [
    { sender_id: ada, content: JSON.stringify(widget) },
    ...changes.map(([sender_id, data]) => ({ sender_id, content: JSON.stringify(data) })),
  ],
})

const lunch = { widget_type: 'poll', extra_data: { question: 'Lunch?', options: ['Soup', 'Rice', 'Soup'] } }

test('votes are added and taken back, and equal options are one', () => {
  const poll = readWidget(
    messageOf(
      lunch,
      [ada, { type: 'vote', key: 'canned,0', vote: 1 }],
      [ben, { type: 'vote', key: 'canned,0', vote: 1 }],
      [ben, { type: 'vote', key: 'canned,1', vote: 1 }],
      [ada, { type: 'vote', key: 'canned,0', vote: -1 }],
      [ada, { type: 'vote', key: 'nothing', vote: 1 }],
    ),
    ada,
  )

  assert.deepEqual(poll, {
    kind: 'poll',
    question: 'Lunch?',
    options: [
      { key: 'canned,0', text: 'Soup', voters: [ben] },
      { key: 'canned,1', text: 'Rice', voters: [ben] },
    ],
    nextIndex: 1,
  })
})

test('everyone adds options with their own numbers, and the author changes the question', () => {
  const message = messageOf(
    lunch,
    [ben, { type: 'new_option', idx: 1, option: 'Bread' }],
    [ben, { type: 'new_option', idx: 2000, option: 'Too far' }],
    [ben, { type: 'question', question: 'Mine?' }],
    [ada, { type: 'question', question: 'Dinner?' }],
    [ada, { type: 'vote', key: '2,1', vote: 1 }],
  )

  assert.partialDeepStrictEqual(readWidget(message, ben), { question: 'Dinner?', nextIndex: 2 })
  const poll = readWidget(message, ada)
  assert(poll?.kind === 'poll')
  assert.deepEqual(poll.options.at(-1), { key: '2,1', text: 'Bread', voters: [ada] })
  assert.equal(poll.nextIndex, 1)
})

test('tasks are added and ticked, and only the author changes the title', () => {
  const list = readWidget(
    messageOf(
      { widget_type: 'todo', extra_data: { task_list_title: 'Release', tasks: [{ task: 'freeze', desc: 'strings' }] } },
      [ben, { type: 'new_task', key: 1, task: 'test', desc: '', completed: false }],
      [ben, { type: 'new_task', key: 2, task: 'freeze', desc: 'again', completed: false }],
      [ben, { type: 'strike', key: '1,2' }],
      [ada, { type: 'strike', key: '0,canned' }],
      [ben, { type: 'strike', key: '0,canned' }],
      [ben, { type: 'new_task_list_title', title: 'Mine' }],
    ),
    ben,
  )

  assert.deepEqual(list, {
    kind: 'todo',
    title: 'Release',
    tasks: [
      { key: '0,canned', name: 'freeze', description: 'strings', isDone: false },
      { key: '1,2', name: 'test', description: '', isDone: true },
    ],
    nextIndex: 3,
  })
})

test('messages without submessages, and unknown or broken ones, are no widgets', () => {
  assert.equal(readWidget({ sender_id: ada, submessages: [] }, ada), null)
  assert.equal(readWidget({ sender_id: ada, submessages: [{ sender_id: ada, content: '{' }] }, ada), null)
  assert.equal(readWidget(messageOf({ widget_type: 'chess' }), ada), null)
  assert.deepEqual(readWidget(messageOf({ widget_type: 'poll' }), ada), {
    kind: 'poll',
    question: '',
    options: [],
    nextIndex: 1,
  })
})

test('a form has the choices that its bot attached', () => {
  const choices = [{ type: 'multiple_choice', short_name: 'A', long_name: 'Tea', reply: 'answer A' }]
  assert.deepEqual(
    readWidget(messageOf({ widget_type: 'zform', extra_data: { type: 'choices', heading: 'Drink?', choices } }), ada),
    {
      kind: 'choices',
      heading: 'Drink?',
      choices: [{ label: 'A', text: 'Tea', reply: 'answer A' }],
    },
  )
})
