import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Person, startChat } from '../../../test/harness.ts'
import { listen } from '../../../test/listen.ts'
import { sendDirect, sendToChannel } from '../../../test/messages.ts'

/** Opens a queue for each operand, runs `meanwhile`, and returns the number of messages that each queue received. */
async function counts(
  person: Person,
  operator: string,
  operands: string[],
  meanwhile: () => Promise<unknown>,
): Promise<number[]> {
  const queues = await Promise.all(operands.map((operand) => listen(person, { narrow: [[operator, operand]] })))
  await meanwhile()
  const received = await Promise.all(queues.map((queue) => queue()))
  return received.map((events) => events.filter(({ type }) => type === 'message').length)
}

test('a narrow matches the empty topic under each of its names', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])

  const found = await counts(ben, 'topic', ['', 'general chat', '(no topic)', 'tea'], () =>
    sendToChannel(ada, design, 'hello', ''),
  )

  assert.deepEqual(found, [1, 1, 1, 0])
})

test('a narrow matches a direct conversation with or without the user among the operands', async () => {
  const chat = await startChat()
  const [ada, ben, cleo] = [await chat.user('ada'), await chat.user('ben'), await chat.user('cleo')]
  const operands = [ada.email, `${ada.id}, ${ben.id}`, `${ada.id},${ada.email}`, `${ada.id},${cleo.id}`, `${ben.id}`]

  const found = await counts(ben, 'dm', operands, async () => {
    await sendDirect(ada, [ben])
    await sendDirect(ben, [ben])
  })

  assert.deepEqual(found, [1, 1, 1, 0, 1])
})

test(`a narrow matches the user's own messages by id, email address and "me"`, async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]

  const found = await counts(ben, 'sender', ['me', ben.email, `${ben.id}`, ada.email], () => sendDirect(ben, [ada]))

  assert.deepEqual(found, [1, 1, 1, 0])
})
