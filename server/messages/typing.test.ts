import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { refusalResponse } from '../../test/channels.ts'
import { type Chat, type Person, type ReceivedEvent, startChat } from '../../test/harness.ts'
import { invalidMessage, sendDirect, sendToChannel } from '../../test/messages.ts'

async function typingEvents(chat: Chat, person: Person): Promise<ReceivedEvent[]> {
  return (await chat.eventsOf(person)).filter((event) => event.type.startsWith('typing'))
}

const json = (person: Person) => ({ user_id: person.id, email: person.email })

test('typing events of a direct conversation go to the other participants', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const dan = await chat.user('dan')

  await ben.succeed('POST /typing', { op: 'start', to: [cleo.id] })
  await ben.succeed('POST /typing', { type: 'direct', op: 'stop', to: [cleo.id, ben.id, cleo.id] })

  const typing = (op: string, ...recipients: Person[]) => ({
    type: 'typing',
    op,
    message_type: 'direct',
    sender: json(ben),
    recipients: recipients.map(json),
  })
  assert.deepEqual(await typingEvents(chat, cleo), [typing('start', cleo, ben), typing('stop', cleo, ben)])
  assert.deepEqual(await typingEvents(chat, ben), [])
  assert.deepEqual(await typingEvents(chat, dan), [])
})

test('typing events of a channel go to its other subscribers and name the topic', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const dan = await chat.user('dan')
  const design = await chat.channel('design', [ben, cleo])

  for (const type of ['channel', 'stream'])
    await ben.succeed('POST /typing', { type, op: 'start', stream_id: design.id, topic: ' tea ' })

  const typing = { type: 'typing', op: 'start', message_type: 'stream', sender: json(ben), stream_id: design.id }
  assert.deepEqual(await typingEvents(chat, cleo), [
    { ...typing, topic: 'tea' },
    { ...typing, topic: 'tea' },
  ])
  assert.deepEqual(await typingEvents(chat, ben), [])
  assert.deepEqual(await typingEvents(chat, dan), [])
})

test('channels with more than 100 subscribers get no typing events', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const people = [ben]
  while (people.length < 101) people.push(await chat.user(`p${people.length}`))
  const crowd = await chat.channel('crowd', people)
  const group = await chat.channel('group', people.slice(0, 100))
  const [, cleo] = people as [Person, Person]

  await ben.succeed('POST /typing', { type: 'channel', op: 'start', stream_id: crowd.id, topic: 'tea' })
  await ben.succeed('POST /typing', { type: 'channel', op: 'start', stream_id: group.id, topic: 'tea' })

  assert.deepEqual(
    (await typingEvents(chat, cleo)).map((event) => event['stream_id']),
    [group.id],
  )
})

test('users can disable receiving and sending typing events', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo', { settings: { receives_typing_notifications: false } })
  const silent = { send_private_typing_notifications: false, send_stream_typing_notifications: false }
  const dan = await chat.user('dan', { settings: silent })
  const design = await chat.channel('design', [ben, cleo, dan])
  const inChannel = { type: 'channel', op: 'start', stream_id: design.id, topic: 'tea' }

  await ben.succeed('POST /typing', { op: 'start', to: [cleo.id] })
  await ben.succeed('POST /typing', inChannel)
  const direct = await dan.call('POST /typing', { op: 'start', to: [ben.id] })
  const channel = await dan.call('POST /typing', inChannel)

  assert.deepEqual(await typingEvents(chat, cleo), [])
  assert.deepEqual(direct, refusalResponse('User has disabled typing notifications for direct messages'))
  assert.deepEqual(channel, refusalResponse('User has disabled typing notifications for channel messages'))
  assert.deepEqual(await typingEvents(chat, ben), [])
})

test('each of the two settings is about its own kind of conversation, for edits as well', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const settings = [{ send_private_typing_notifications: false }, { send_stream_typing_notifications: false }]
  for (const [index, own] of settings.entries()) {
    const person = await chat.user(`person-${index}`, { settings: own })
    const design = await chat.channel(`design-${index}`, [ben, person])
    const messages = [await sendDirect(person, [ben]), await sendToChannel(person, design, 'tea')]

    const started = [
      await person.call('POST /typing', { op: 'start', to: [ben.id] }),
      await person.call('POST /typing', { type: 'channel', op: 'start', stream_id: design.id, topic: 'tea' }),
    ]
    const edits = []
    for (const id of messages) edits.push(await person.call(`POST /messages/${id}/typing`, { op: 'start' }))

    const expected = index === 0 ? [400, 200] : [200, 400]
    for (const responses of [started, edits])
      assert.deepEqual(
        responses.map(({ status }) => status),
        expected,
      )
  }
})

test('a request needs a valid conversation', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const eve = await chat.user('eve', { realm: await chat.organization('other') })
  const design = await chat.channel('design', [ben])
  const missing = (name: string) => ({
    ...refusalResponse(`Missing '${name}' argument`, 'REQUEST_VARIABLE_MISSING'),
    var_name: name,
  })
  const cases: [Record<string, unknown>, Record<string, unknown>][] = [
    [{ to: [ben.id] }, missing('op')],
    [{ op: 'start' }, missing('to')],
    [{ op: 'start', to: [] }, refusalResponse("Empty 'to' list")],
    [{ op: 'start', to: [9999] }, refusalResponse('Invalid user ID 9999')],
    [{ op: 'start', to: [eve.id] }, refusalResponse(`Invalid user ID ${eve.id}`)],
    [{ op: 'start', type: 'channel', topic: 'tea' }, refusalResponse('Missing channel ID')],
    [{ op: 'start', type: 'channel', stream_id: design.id }, refusalResponse('Missing topic')],
    [{ op: 'start', type: 'channel', stream_id: 9999, topic: 'tea' }, refusalResponse('Invalid channel ID')],
  ]

  for (const [params, response] of cases) assert.deepEqual(await ben.call('POST /typing', params), response)
})

test('typing events are refused in conversations that the user may not write to', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const gus = await chat.user('gus', { role: Role.guest })
  const secret = await chat.channel('secret', [ben], { isPrivate: true })
  await chat.change({ can_access_all_users_group: 'role:members', direct_message_permission_group: 'role:nobody' })

  const inSecret = await cleo.call('POST /typing', { type: 'channel', op: 'start', stream_id: secret.id, topic: 'tea' })
  const disabled = await cleo.call('POST /typing', { op: 'start', to: [ben.id] })
  const toHiddenUser = await gus.call('POST /typing', { op: 'start', to: [ben.id] })

  assert.deepEqual(inSecret, refusalResponse('Invalid channel ID'))
  assert.deepEqual(disabled, refusalResponse('Direct messages are disabled in this organization.'))
  assert.deepEqual(toHiddenUser, refusalResponse('You do not have permission to access some of the recipients.'))
  assert.deepEqual(await typingEvents(chat, ben), [])
})

test('editing events go to the conversation or channel of the message', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const dan = await chat.user('dan')
  const design = await chat.channel('design', [ben, cleo])
  const inChannel = await sendToChannel(ben, design)
  const direct = await sendDirect(ben, [cleo])

  await ben.succeed(`POST /messages/${inChannel}/typing`, { op: 'start' })
  await ben.succeed(`POST /messages/${direct}/typing`, { op: 'stop' })

  const typing = { type: 'typing_edit_message', sender_id: ben.id }
  const channel = { type: 'channel', channel_id: design.id, topic: 'tea' }
  assert.deepEqual(await typingEvents(chat, cleo), [
    { ...typing, op: 'start', message_id: inChannel, recipient: channel },
    { ...typing, op: 'stop', message_id: direct, recipient: { type: 'direct', user_ids: [ben.id, cleo.id] } },
  ])
  assert.deepEqual(await typingEvents(chat, ben), [])
  assert.deepEqual(await typingEvents(chat, dan), [])
})

test('editing events are refused for users who may not edit the message', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const design = await chat.channel('design', [ben, cleo])
  const direct = await sendDirect(ben, [ben])
  const old = await sendToChannel(ben, design)

  const foreign = await cleo.call(`POST /messages/${old}/typing`, { op: 'start' })
  const hidden = await cleo.call(`POST /messages/${direct}/typing`, { op: 'start' })
  await chat.clock.advance(3600)
  const late = await ben.call(`POST /messages/${old}/typing`, { op: 'start' })

  assert.deepEqual(foreign, refusalResponse("You don't have permission to edit this message"))
  assert.deepEqual(hidden, invalidMessage)
  assert.deepEqual(late, refusalResponse('The time limit for editing this message has passed'))
})

test('a guest gets the same refusal for active and deactivated users whom they cannot see', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada', { role: Role.owner }), await chat.user('ben')]
  const left = await chat.user('left')
  const gus = await chat.user('gus', { role: Role.guest })
  await chat.change({ can_access_all_users_group: 'role:members' })
  await ada.succeed(`DELETE /users/${left.id}`)

  const responses = [
    await gus.call('POST /typing', { op: 'start', to: [ben.id] }),
    await gus.call('POST /typing', { op: 'start', to: [left.id] }),
  ]

  assert.equal(responses[0]?.msg, 'You do not have permission to access some of the recipients.')
  assert.deepEqual(responses[1], responses[0])
})
