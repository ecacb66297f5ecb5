import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startChat } from '../../test/harness.ts'
import { listen } from '../../test/listen.ts'
import { say } from '../../test/talk.ts'

test('a narrow finds the topic without a name under each of its names', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])
  const names = ['', 'general chat', '(no topic)', 'tea']
  const queues = await Promise.all(names.map((topic) => listen(ben, { narrow: [['topic', topic]] })))

  await say(ada, design, 'hello', '')

  const heard = await Promise.all(queues.map((queue) => queue()))
  assert.deepEqual(
    heard.map((events) => events.filter(({ type }) => type === 'message').length),
    [1, 1, 1, 0],
  )
})
