import assert from 'node:assert/strict'
import test from 'node:test'
import { type Chat, type Person, startChat } from '../../test/harness.ts'
import { fetchMessage, sendToChannel } from '../../test/messages.ts'

const attach = (person: Person, message_id: number, content: unknown) =>
  person.call('POST /submessage', { message_id, msg_type: 'widget', content: JSON.stringify(content) })

/** Creates a channel with a message from Ada. Ben is subscribed too. */
async function startTalk(text: string) {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const id = await sendToChannel(ada, await chat.channel('design', [ada, ben]), text)
  return { chat, ada, ben, id }
}

/** Saves submessages without checking the limits, as an older version of the server did. */
async function saveSubmessages(chat: Chat, person: Person, messageId: number, contents: readonly string[]) {
  const row = { messageId, senderId: person.id, msgType: 'widget' }
  await chat.app.services.transaction(async (tx) => {
    for (let at = 0; at < contents.length; at += 500) {
      const rows = contents.slice(at, at + 500).map((content) => ({ ...row, content }))
      await tx.insertInto('submessages').values(rows).execute()
    }
  })
}

const VOTE = { type: 'vote', key: 'canned,0', vote: 1 }
const tooMany = 'This message cannot have more submessages. Start a new poll or to-do list.'

test('a submessage of more than 10,000 characters is refused', async () => {
  const { ada, id } = await startTalk('hello')

  const longest = await attach(ada, id, 'x'.repeat(9998))
  const longer = await attach(ada, id, 'x'.repeat(9999))

  assert.equal(longest.status, 200)
  assert.deepEqual([longer.status, longer.msg], [400, 'content is too long (limit: 10000 characters)'])
})

test('a message can have at most 1,000 submessages', async () => {
  const { chat, ada, ben, id } = await startTalk('/poll Where to?\nRome')
  await saveSubmessages(chat, ada, id, Array(998).fill('{}'))

  const last = await attach(ben, id, VOTE)
  const further = await attach(ben, id, VOTE)

  assert.equal(last.status, 200)
  assert.deepEqual([further.status, further.msg], [400, tooMany])
  assert.equal((await fetchMessage(ben, id)).submessages.length, 1000)
})

test('the submessages of a message have at most 400,000 bytes in total', async () => {
  const { chat, ada, id } = await startTalk('/poll Where to?')
  await saveSubmessages(chat, ada, id, Array(39).fill('x'.repeat(10_000)))

  const short = await attach(ada, id, { type: 'question', question: 'When?' })
  const long = await attach(ada, id, { type: 'question', question: 'é'.repeat(5000) })

  assert.deepEqual([short.status, long.status, long.msg], [200, 400, tooMany])
})

test('a user cannot use up the submessages of another user’s message', async () => {
  const { chat, ada, ben, id } = await startTalk('/poll Where to?\nRome')
  await saveSubmessages(chat, ben, id, Array(250).fill('{}'))

  const further = await attach(ben, id, VOTE)
  const own = await attach(ada, id, VOTE)

  assert.equal(further.msg, 'You cannot attach more than 250 submessages to a message that another user sent.')
  assert.deepEqual([further.status, own.status], [400, 200])
})

test('the submessages of a user and their bots count together', async () => {
  const { chat, ben, id } = await startTalk('/poll Where to?\nRome')
  const made = await ben.succeed('POST /bots', { full_name: 'Robo', short_name: 'robo' })
  await saveSubmessages(chat, ben, id, Array(100).fill('{}'))
  await saveSubmessages(chat, { ...ben, id: made['user_id'] }, id, Array(150).fill('{}'))

  const further = await attach(ben, id, VOTE)

  assert.equal(further.msg, 'You cannot attach more than 250 submessages to a message that another user sent.')
})

test('stored submessages beyond the limits are left out of responses', async () => {
  const { chat, ada, ben, id } = await startTalk('hello')
  await saveSubmessages(chat, ada, id, ['x'.repeat(40_001), ...Array(1001).fill('{}')])

  const fetched = await fetchMessage(ben, id)
  const listed = await ben.succeed('GET /messages', { anchor: id, num_before: 0, num_after: 0 })

  assert.equal(fetched.submessages.length, 1000)
  assert.equal(listed['messages'][0].submessages.length, 1000)
  assert.ok(fetched.submessages.every(({ content }: { content: string }) => content === '{}'))
})

test('everyone can vote and add options to a poll, and only its author can change the question', async () => {
  const { ada, ben, id } = await startTalk('/poll Where to?\nRome')
  const question = { type: 'question', question: 'When?' }

  assert.equal((await attach(ben, id, VOTE)).status, 200)
  assert.equal((await attach(ben, id, { ...VOTE, vote: -1 })).status, 200)
  assert.equal((await attach(ben, id, { type: 'new_option', option: 'Oslo', idx: 1000 })).status, 200)
  assert.equal((await attach(ada, id, question)).status, 200)
  assert.equal((await attach(ben, id, question)).msg, "You can't edit a question unless you are the author.")
  for (const [data, msg] of [
    [[], 'poll data is not a dict'],
    [{}, 'type key is missing from poll data'],
    [{ type: 1 }, 'poll data["type"] is not a string'],
    [{ type: 'constructor' }, 'Unknown type for poll data: constructor'],
    [{ type: 'vote', key: 'canned,0' }, 'vote key is missing from poll data'],
    [{ ...VOTE, vote: 2 }, 'Invalid poll data["vote"]'],
    [{ ...VOTE, vote: 0.5 }, 'poll data["vote"] is not an integer'],
    [{ ...VOTE, key: 7 }, 'poll data["key"] is not a string'],
    [{ ...VOTE, colour: 'red' }, 'Unexpected arguments: colour'],
    [{ type: 'new_option', option: 'Oslo', idx: 1001 }, 'poll data["idx"] is too large'],
    [{ type: 'new_option', option: 'Oslo', idx: -1 }, 'poll data["idx"] is too small'],
  ] as const) {
    const response = await attach(ada, id, data)
    assert.deepEqual([response.status, response.msg], [400, msg])
  }
})

test('everyone can add and complete tasks of a to-do list, and only its author can change the title', async () => {
  const { ada, ben, id } = await startTalk('/todo Trip\npack')
  const title = { type: 'new_task_list_title', title: 'Rome' }
  const task = { type: 'new_task', key: 2, task: 'sleep', desc: '', completed: false }

  assert.equal((await attach(ben, id, task)).status, 200)
  assert.equal((await attach(ben, id, { type: 'strike', key: 'canned,0' })).status, 200)
  assert.equal((await attach(ada, id, title)).status, 200)
  assert.equal((await attach(ben, id, title)).msg, "You can't edit the task list title unless you are the author.")
  for (const [data, msg] of [
    [VOTE, 'Unknown type for todo data: vote'],
    [{ ...task, completed: 1 }, 'todo data["completed"] is not a boolean'],
    [{ type: 'strike' }, 'key key is missing from todo data'],
  ] as const) {
    const response = await attach(ada, id, data)
    assert.deepEqual([response.status, response.msg], [400, msg])
  }
})

test('widget content and local ids of a new message are limited', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const design = await chat.channel('design', [ada])
  const message = { type: 'channel', to: design.name, topic: 'trip', content: 'A Rome' }
  const form = (heading: string) => ({ widget_type: 'zform', extra_data: { type: 'choices', heading, choices: [] } })

  const short = await ada.call('POST /messages', { ...message, widget_content: form('x'.repeat(9000)) })
  const long = await ada.call('POST /messages', { ...message, widget_content: form('x'.repeat(10_000)) })
  const echo = await ada.call('POST /messages', { ...message, queue_id: 'a', local_id: 'x'.repeat(257) })

  assert.equal(short.status, 200)
  assert.deepEqual([long.status, long.msg], [400, 'widget_content is too long (limit: 10000 characters)'])
  assert.deepEqual([echo.status, echo.msg], [400, 'local_id is too long (limit: 256 characters)'])
})
