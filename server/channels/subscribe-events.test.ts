import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { BotType, Role } from '#rules/role.ts'
import { channelEventsOf } from '../../test/channels.ts'
import { type Person, startChat } from '../../test/harness.ts'

const JOIN = 'POST /users/me/subscriptions'
const LEAVE = 'DELETE /users/me/subscriptions'

const named = (...names: string[]) => names.map((name) => ({ name }))

suite('events of joining', () => {
  test('a user who joins a public channel receives the subscription, all other members receive a peer event', async () => {
    const chat = await startChat()
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    const [gus, gil] = [await chat.user('gus', { role: Role.guest }), await chat.user('gil', { role: Role.guest })]
    const design = await chat.channel('design', [gus])

    await ben.succeed(JOIN, { subscriptions: named('design') })

    const [added, ...rest] = await channelEventsOf(chat, ben)
    assert.partialDeepStrictEqual(added, { type: 'subscription', op: 'add' })
    const { subscriptions } = await ben.succeed('GET /users/me/subscriptions', { include_subscribers: true })
    assert.deepEqual(added?.['subscriptions'], subscriptions)
    assert.deepEqual(rest, [])
    const peerAdded = { type: 'subscription', op: 'peer_add', stream_ids: [design.id], user_ids: [ben.id] }
    for (const person of [cleo, gus]) assert.deepEqual(await channelEventsOf(chat, person), [peerAdded])
    assert.deepEqual(await channelEventsOf(chat, gil), [])
  })

  test('a user who joins a private channel receives the channel first', async () => {
    const chat = await startChat()
    const [ben, cleo, dan] = [await chat.user('ben'), await chat.user('cleo'), await chat.user('dan')]
    const secret = await chat.channel('secret', [ben], { isPrivate: true })

    await ben.succeed(JOIN, { subscriptions: named('secret'), principals: [cleo.id] })

    const events = await channelEventsOf(chat, cleo)
    assert.deepEqual(
      events.map(({ type, op }) => `${type} ${op}`),
      ['stream create', 'subscription add'],
    )
    assert.partialDeepStrictEqual(events[0], { streams: [{ stream_id: secret.id, name: 'secret', invite_only: true }] })
    assert.partialDeepStrictEqual(events[1], {
      subscriptions: [{ stream_id: secret.id, subscribers: [ben.id, cleo.id] }],
    })
    assert.deepEqual(await channelEventsOf(chat, ben), [
      { type: 'subscription', op: 'peer_add', stream_ids: [secret.id], user_ids: [cleo.id] },
    ])
    assert.deepEqual(await channelEventsOf(chat, dan), [])
  })

  test('a user who returns to a private channel receives their topic policies in it', async () => {
    const chat = await startChat()
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    const secret = await chat.channel('secret', [ben, cleo], { isPrivate: true })
    await cleo.succeed('POST /user_topics', { stream_id: secret.id, topic: 'tea', visibility_policy: 3 })
    await cleo.succeed(LEAVE, { subscriptions: ['secret'] })
    const before = (await chat.eventsOf(cleo)).length

    await ben.succeed(JOIN, { subscriptions: named('secret'), principals: [cleo.id] })

    const topics = (await chat.eventsOf(cleo)).slice(before).filter(({ type }) => type === 'user_topic')
    assert.deepEqual(
      topics.map((event) => [event['stream_id'], event['topic_name'], event['visibility_policy']]),
      [[secret.id, 'tea', 3]],
    )
  })

  test('a new public channel is emitted to all members, a new private one to its subscribers and administrators', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.administrator })
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    const gus = await chat.user('gus', { role: Role.guest })

    await ben.succeed(JOIN, { subscriptions: named('open') })
    await ben.succeed(JOIN, { subscriptions: named('closed'), invite_only: true, principals: [ben.id, gus.id] })

    const kinds = async (person: Person) =>
      (await channelEventsOf(chat, person)).map((event) => {
        const [first] = (event['streams'] ?? event['subscriptions'] ?? []) as { name: string }[]
        return `${event.type} ${event['op']} ${first?.name ?? ''}`.trim()
      })
    const openToOthers = ['stream create open', 'subscription peer_add']
    assert.deepEqual(await kinds(cleo), openToOthers)
    assert.deepEqual(await kinds(ada), [...openToOthers, 'stream create closed', 'subscription peer_add'])
    assert.deepEqual(await kinds(gus), ['stream create closed', 'subscription add closed'])
    assert.deepEqual(await kinds(ben), [
      'stream create open',
      'subscription add open',
      'stream create closed',
      'subscription add closed',
    ])
  })

  test('users with equal subscriptions share one event, a returning user with their own settings gets another one', async () => {
    const chat = await startChat()
    const [ben, cleo, dan] = [await chat.user('ben'), await chat.user('cleo'), await chat.user('dan')]
    const design = await chat.channel('design', [dan])
    await dan.succeed('POST /users/me/subscriptions/properties', {
      subscription_data: [{ stream_id: design.id, property: 'is_muted', value: true }],
    })
    await dan.succeed(LEAVE, { subscriptions: ['design'] })

    await ben.succeed(JOIN, { subscriptions: named('design'), principals: [ben.id, cleo.id, dan.id] })

    const added = (await chat.app.services.db.selectFrom('events').select(['payload', 'audience']).execute())
      .map(({ payload, audience }) => ({ event: JSON.parse(payload), audience: JSON.parse(audience) }))
      .filter(({ event }) => event.op === 'add')
    assert.deepEqual(
      added.map(({ audience }) => audience),
      [[ben.id, cleo.id], [dan.id]],
    )
    assert.deepEqual(
      added.map(({ event }) => event.subscriptions[0].is_muted),
      [false, true],
    )
  })

  test('a limited guest who joins a channel can see its subscribers', async () => {
    const chat = await startChat()
    await chat.change({ can_access_all_users_group: 'role:members' })
    const gus = await chat.user('gus', { role: Role.guest })
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    const bot = await chat.user('bot', { botType: BotType.generic, owner: ben })
    await chat.channel('design', [ben, cleo, bot])
    await chat.channel('sales', [gus, cleo])

    await ben.succeed(JOIN, { subscriptions: named('design'), principals: [gus.id] })

    const visibleUsers = (await chat.eventsOf(gus)).filter((event) => event.type === 'realm_user')
    assert.deepEqual(
      visibleUsers.map((event) => [event['op'], (event['person'] as { user_id: number }).user_id]),
      [['add', ben.id]],
    )
  })
})
