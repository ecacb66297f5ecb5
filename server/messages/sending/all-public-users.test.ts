import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ReceivedEvent, startChat } from '../../../test/harness.ts'
import { listen } from '../../../test/listen.ts'
import { sendToChannel } from '../../../test/messages.ts'

test('a queue for all public channels gets their messages from its registration on', async () => {
  const chat = await startChat()
  const [ada, ben, cleo] = [await chat.user('ada'), await chat.user('ben'), await chat.user('cleo')]
  const open = await chat.channel('open', [ada])
  const registration = { event_types: ['message'], all_public_streams: true }

  await sendToChannel(ada, open, 'first')
  const toBen = await listen(ben, registration)
  await sendToChannel(ada, open, 'second')
  const toCleo = await listen(cleo, registration)
  await sendToChannel(ada, open, 'third')

  const contents = (events: ReceivedEvent[]) => events.map((event) => (event['message'] as { content: string }).content)
  assert.deepEqual(contents(await toBen()), ['second', 'third'])
  assert.deepEqual(contents(await toCleo()), ['third'])
})
