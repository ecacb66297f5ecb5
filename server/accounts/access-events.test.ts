import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { type Chat, type Person, type ReceivedEvent, startChat } from '../../test/harness.ts'
import { sendDirect } from '../../test/messages.ts'

async function setting() {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada', { role: Role.owner }), await chat.user('ben')]
  return { chat, ada, ben }
}

/**
 * Runs the action. Returns the type, op and subject of the events of these types that the person has received during
 * it.
 */
async function eventsDuring(chat: Chat, person: Person, types: readonly string[], action: () => Promise<unknown>) {
  const before = (await chat.eventsOf(person)).length
  await action()
  const received = (await chat.eventsOf(person)).slice(before).filter(({ type }) => types.includes(type))
  return received.map((event) => [event.type, event['op'], subjectOf(event)])
}

function subjectOf({ person, bot, streams, stream_ids, default_streams, status_text }: ReceivedEvent): unknown {
  const { user_id } = (person ?? bot ?? {}) as { user_id?: number }
  const names = (streams as { name?: string }[] | undefined)?.map(({ name }) => name)
  return user_id ?? status_text ?? default_streams ?? (names?.[0] ? names : stream_ids)
}

test('joining a group reveals the private channels that its members can see, and leaving it hides them', async () => {
  const { chat, ada, ben } = await setting()
  const { group_id } = await ada.succeed('POST /user_groups/create', {
    name: 'few',
    description: '',
    members: [ada.id],
  })
  const secret = await chat.channel('secret', [ada], { isPrivate: true })
  await ada.succeed(`PATCH /streams/${secret.id}`, { can_subscribe_group: { new: group_id } })
  const members = `POST /user_groups/${group_id}/members`

  const joined = await eventsDuring(chat, ben, ['stream', 'subscription'], () =>
    ada.succeed(members, { add: [ben.id] }),
  )
  const left = await eventsDuring(chat, ben, ['stream', 'subscription'], () =>
    ada.succeed(members, { delete: [ben.id] }),
  )

  assert.deepEqual(joined, [
    ['stream', 'create', ['secret']],
    ['subscription', 'peer_add', [secret.id]],
  ])
  assert.deepEqual(left, [['stream', 'delete', [secret.id]]])
})

test('a changed waiting period adds and removes full members, with events', async () => {
  const { chat, ada, ben } = await setting()
  const { user_groups } = await ada.succeed('GET /user_groups')
  const { id } = user_groups.find(({ name }: { name: string }) => name === 'role:fullmembers')

  await ada.succeed('PATCH /realm', { waiting_period_threshold: 31 })
  await ada.succeed('PATCH /realm', { waiting_period_threshold: 0 })

  const events = (await chat.eventsOf(ben)).filter(({ type }) => type === 'user_group')
  assert.deepEqual(events, [
    { type: 'user_group', op: 'remove_members', group_id: id, user_ids: [ben.id] },
    { type: 'user_group', op: 'add_members', group_id: id, user_ids: [ben.id] },
  ])
})

test('guests learn which users have become visible after a change of settings, with their profiles', async () => {
  const { chat, ada, ben } = await setting()
  const gus = await chat.user('gus', { role: Role.guest })
  await ben.succeed('POST /users/me/status', { status_text: 'out' })
  const { user_groups: groups } = await ada.succeed('GET /user_groups')
  const idOf = (name: string) => groups.find((group: { name: string }) => group.name === name).id
  const allow = (name: string) => ada.succeed('PATCH /realm', { can_access_all_users_group: { new: idOf(name) } })
  const types = ['realm_user', 'user_status']

  const limited = await eventsDuring(chat, gus, types, () => allow('role:members'))
  const afterMessage = await eventsDuring(chat, gus, types, () => sendDirect(ben, [gus]))
  const unlimited = await eventsDuring(chat, gus, types, () => allow('role:everyone'))

  assert.deepEqual(limited, [
    ['realm_user', 'remove', ada.id],
    ['realm_user', 'remove', ben.id],
  ])
  assert.deepEqual(afterMessage, [
    ['realm_user', 'add', ben.id],
    ['user_status', undefined, 'out'],
  ])
  assert.deepEqual(unlimited, [['realm_user', 'add', ada.id]])
})

test('a user with a higher role sees more addresses, bots and default channels, and loses them with the role', async () => {
  const { chat, ada, ben } = await setting()
  const dan = await chat.user('dan', { settings: { email_address_visibility: 3 } })
  const bot = await chat.user('helper', { botType: 1, owner: dan })
  const general = await chat.channel('general', [ada])
  await ada.succeed('POST /default_streams', { stream_id: general.id })
  const types = ['realm_user', 'realm_bot', 'default_streams']
  const give = (role: Role) => () => ada.succeed(`PATCH /users/${ben.id}`, { role })

  const raised = await eventsDuring(chat, ben, types, give(Role.administrator))
  const lowered = await eventsDuring(chat, ben, types, give(Role.guest))

  assert.deepEqual(raised, [
    ['realm_user', 'update', ben.id],
    ['realm_user', 'update', dan.id],
    ['realm_bot', 'add', bot.id],
  ])
  assert.deepEqual(lowered, [
    ['realm_user', 'update', ben.id],
    ['realm_user', 'update', dan.id],
    ['default_streams', undefined, []],
    ['realm_bot', 'delete', bot.id],
  ])
})

test('the queues of a deactivated account are deleted and do not continue after a reactivation', async () => {
  const { ada, ben } = await setting()
  const { queue_id, last_event_id } = await ben.succeed('POST /register')
  const poll = () => ben.call('GET /events', { queue_id, last_event_id, dont_block: true })
  assert.equal((await poll()).status, 200)

  await ada.succeed(`DELETE /users/${ben.id}`)
  await ada.succeed('PATCH /realm', { description: 'meanwhile' })
  await ada.succeed(`POST /users/${ben.id}/reactivate`)

  assert.equal((await poll()).code, 'BAD_EVENT_QUEUE_ID')
})

test('a reactivated user is subscribed to their channels again, and everyone gets the events', async () => {
  const { chat, ada, ben } = await setting()
  const general = await chat.channel('general', [ada, ben])
  await ada.succeed(`DELETE /users/${ben.id}`)

  const events = await eventsDuring(chat, ada, ['subscription'], () => ada.succeed(`POST /users/${ben.id}/reactivate`))

  assert.deepEqual(events, [['subscription', 'peer_add', [general.id]]])
})
