import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { refusalResponse } from '../../test/channels.ts'
import { startChat } from '../../test/harness.ts'
import { sendToChannel } from '../../test/messages.ts'

test('an archived channel keeps its subscribers and stays readable, and users who may see it receive an event', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  const old = await chat.channel('old', [ben])
  await sendToChannel(ben, old)

  await ada.succeed(`DELETE /streams/${old.id}`)

  assert.equal((await ben.succeed(`GET /streams/${old.id}`))['stream'].is_archived, true)
  assert.deepEqual((await ben.succeed(`GET /streams/${old.id}/members`))['subscribers'], [ben.id])
  const { topics } = await ben.succeed(`GET /users/me/${old.id}/topics`)
  assert.deepEqual(
    topics.map(({ name }: { name: string }) => name),
    ['channel events', 'tea'],
  )
  assert.deepEqual((await chat.eventsOf(ben)).at(-1), {
    ...{ type: 'stream', op: 'update', property: 'is_archived', value: true },
    ...{ stream_id: old.id, name: 'old' },
  })
})

test('an archived channel cannot be archived again', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const old = await chat.channel('old', [])

  const responses = await Promise.all([1, 2].map(() => ada.call(`DELETE /streams/${old.id}`)))

  assert.deepEqual(responses.map((response) => response.status).sort(), [200, 400])
  assert.deepEqual(await ada.call(`DELETE /streams/${old.id}`), refusalResponse('Channel is already deactivated'))
})

test('new users are not subscribed to an archived channel, and settings of the organization that name it are cleared', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const [old, other] = [await chat.channel('old', []), await chat.channel('other', [])]
  await chat.change({ new_stream_announcements_stream_id: old.id, signup_announcements_stream_id: other.id })
  for (const { id } of [old, other]) await ada.succeed('POST /default_streams', { stream_id: id })

  await ada.succeed(`DELETE /streams/${old.id}`)

  const events = (await chat.eventsOf(ada)).slice(2)
  assert.partialDeepStrictEqual(events, [
    { type: 'default_streams', default_streams: [other.id] },
    { type: 'realm', op: 'update', property: 'new_stream_announcements_stream_id', value: -1 },
    { type: 'stream', op: 'update', property: 'is_archived', value: true },
  ])
  const row = await chat.app.services.db
    .selectFrom('realms')
    .select('settings')
    .where('id', '=', chat.realm.id)
    .executeTakeFirstOrThrow()
  assert.partialDeepStrictEqual(JSON.parse(row.settings), {
    new_stream_announcements_stream_id: -1,
    signup_announcements_stream_id: other.id,
  })
})

test('only users who may change a channel can archive it', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const [design, secret] = [await chat.channel('design', [ben]), await chat.channel('secret', [], { isPrivate: true })]

  const denied = refusalResponse('You do not have permission to administer this channel.')
  assert.deepEqual(await ben.call(`DELETE /streams/${design.id}`), denied)
  assert.deepEqual(await ben.call(`DELETE /streams/${secret.id}`), refusalResponse('Invalid channel ID'))
  assert.deepEqual(await ben.call('DELETE /streams/99999999999999999999'), refusalResponse('Invalid channel ID'))
})

test('limited guests can no longer see users with whom they shared only the archived channel', async () => {
  const chat = await startChat()
  await chat.change({ can_access_all_users_group: 'role:members' })
  const ada = await chat.user('ada', { role: Role.administrator })
  const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
  const gus = await chat.user('gus', { role: Role.guest })
  const old = await chat.channel('old', [ben, cleo, gus])
  await chat.channel('other', [cleo, gus])

  await ada.succeed(`DELETE /streams/${old.id}`)

  const visibleUsers = (await chat.eventsOf(gus)).filter((event) => event.type === 'realm_user')
  assert.deepEqual(visibleUsers, [
    { type: 'realm_user', op: 'remove', person: { user_id: ben.id, full_name: 'Unknown user' } },
  ])
})

test('an archived channel is restored with its subscribers, even for clients that do not know archived channels', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  const old = await chat.channel('old', [ben])
  await ada.succeed(`DELETE /streams/${old.id}`)

  const refused = await ben.call(`PATCH /streams/${old.id}`, { is_archived: false })
  await ada.succeed(`PATCH /streams/${old.id}`, { is_archived: false })
  const again = await ada.call(`PATCH /streams/${old.id}`, { is_archived: false })
  await sendToChannel(ben, old)

  assert.equal(refused.status, 400)
  assert.deepEqual(again, refusalResponse('Channel is not archived.'))
  const { subscriptions } = await ben.succeed('GET /users/me/subscriptions')
  assert.deepEqual(
    subscriptions.map(({ name, is_archived }: { name: string; is_archived: boolean }) => [name, is_archived]),
    [['old', false]],
  )
})

test('subscribers with equal subscriptions share one event when a channel is restored', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
  const old = await chat.channel('old', [ben, cleo])
  await ada.succeed(`DELETE /streams/${old.id}`)
  const findAdded = async () => {
    const { db } = chat.app.services
    const rows = await db.selectFrom('events').select('payload').where('type', '=', 'subscription').execute()
    return rows.filter(({ payload }) => JSON.parse(String(payload)).op === 'add')
  }
  const before = await findAdded()

  await ada.succeed(`PATCH /streams/${old.id}`, { is_archived: false })

  assert.equal((await findAdded()).length, before.length + 1)
  for (const person of [ben, cleo]) {
    const last = (await chat.eventsOf(person)).findLast((event) => event.type === 'subscription')
    assert.partialDeepStrictEqual(last, { op: 'add', subscriptions: [{ name: 'old' }] })
  }
})

test('limited guests see the subscribers of a restored channel before events name them', async () => {
  const chat = await startChat()
  await chat.change({ can_access_all_users_group: 'role:members' })
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  const gus = await chat.user('gus', { role: Role.guest })
  const old = await chat.channel('old', [ben, gus])
  await ada.succeed(`DELETE /streams/${old.id}`)
  const before = (await chat.eventsOf(gus)).length

  await ada.succeed(`PATCH /streams/${old.id}`, { is_archived: false })

  const events = (await chat.eventsOf(gus)).slice(before)
  const indexOf = (type: string, op: string) => events.findIndex((event) => event.type === type && event['op'] === op)
  const [visible, peers, added] = [
    indexOf('realm_user', 'add'),
    indexOf('subscription', 'peer_add'),
    indexOf('subscription', 'add'),
  ]
  assert(visible >= 0 && added >= 0)
  assert(visible < added)
  assert(peers === -1 || visible < peers)
})
