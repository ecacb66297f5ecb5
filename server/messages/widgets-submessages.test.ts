import assert from 'node:assert/strict'
import test from 'node:test'
import { type Person, startChat } from '../../test/harness.ts'
import { fetchMessage, invalidMessage, sendDirect } from '../../test/messages.ts'

const attach = (person: Person, message_id: number, content = '{}') =>
  person.call('POST /submessage', { message_id, msg_type: 'widget', content })

test('after the sender has attached the first submessage, other users can attach more', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const id = await sendDirect(ada, [ben])

  assert.equal((await attach(ben, id)).msg, 'You cannot attach a submessage to this message.')
  assert.equal((await attach(ada, id, '{"a":1}')).status, 200)
  assert.equal((await attach(ben, id, '{"b":2}')).status, 200)

  const { submessages } = await fetchMessage(ben, id)
  assert.deepEqual(
    submessages.map(({ id: _, ...submessage }: { id: number }) => submessage),
    [
      { message_id: id, sender_id: ada.id, msg_type: 'widget', content: '{"a":1}' },
      { message_id: id, sender_id: ben.id, msg_type: 'widget', content: '{"b":2}' },
    ],
  )
  assert(submessages[0].id < submessages[1].id)
  assert.partialDeepStrictEqual((await chat.eventsOf(ada)).at(-1), {
    type: 'submessage',
    submessage_id: submessages[1].id,
    message_id: id,
    sender_id: ben.id,
    content: '{"b":2}',
  })
})

test('invalid JSON is refused, and an inaccessible message is refused like a missing one', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const id = await sendDirect(ada, [ada])

  assert.equal((await attach(ada, id, 'vote')).msg, 'Invalid json for submessage')
  assert.deepEqual(await attach(ben, id), invalidMessage)
  assert.deepEqual((await fetchMessage(ada, id)).submessages, [])
})
