import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { BotType, Role } from '#rules/role.ts'
import { channelEventsOf, markDeactivated, only } from '../../test/channels.ts'
import { type Chat, type Person, type ReceivedEvent, startChat } from '../../test/harness.ts'

const LEAVE = 'DELETE /users/me/subscriptions'

const removed = (...channels: { id: number; name: string }[]): ReceivedEvent => ({
  type: 'subscription',
  op: 'remove',
  subscriptions: channels.map(({ id, name }) => ({ name, stream_id: id })),
})

const peersRemoved = (channels: { id: number }[], people: Person[]): ReceivedEvent => ({
  type: 'subscription',
  op: 'peer_remove',
  stream_ids: channels.map(({ id }) => id),
  user_ids: people.map(({ id }) => id).sort((one, other) => one - other),
})

const deleted = (...channels: { id: number }[]): ReceivedEvent => ({
  type: 'stream',
  op: 'delete',
  streams: channels.map(({ id }) => ({ stream_id: id })),
  stream_ids: channels.map(({ id }) => id),
})

suite('events of leaving', () => {
  test('a user who leaves receives one event for the whole request, and no peer event', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    const design = await chat.channel('design', [ben])
    const sales = await chat.channel('sales', [ben])
    await chat.channel('never in', [])

    await ben.succeed(LEAVE, { subscriptions: ['sales', 'design', 'never in'] })

    assert.deepEqual(await channelEventsOf(chat, ben), [removed(sales, design)])
  })

  test('leaving a public channel is emitted to all members and to its guests', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    const outsider = await chat.user('outsider')
    const bot = await chat.user('bot', { botType: BotType.generic, owner: outsider })
    const [gus, gil] = [await chat.user('gus', { role: Role.guest }), await chat.user('gil', { role: Role.guest })]
    const eve = await chat.user('eve', { realm: await chat.organization('other') })
    const design = await chat.channel('design', [ben, gus])

    await ben.succeed(LEAVE, { subscriptions: ['design'] })

    for (const person of [outsider, bot, gus]) {
      assert.deepEqual(await channelEventsOf(chat, person), [peersRemoved([design], [ben])])
    }
    assert.deepEqual(await channelEventsOf(chat, gil), [])
    assert.deepEqual(await channelEventsOf(chat, eve), [])
  })

  test('leaving a web-public channel is emitted to every guest', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    const gus = await chat.user('gus', { role: Role.guest })
    const world = await chat.channel('world', [ben], { isWebPublic: true })

    await ben.succeed(LEAVE, { subscriptions: ['world'] })

    assert.deepEqual(await channelEventsOf(chat, gus), [peersRemoved([world], [ben])])
  })

  test('leaving a private channel is emitted to its subscribers, administrators, and users whose permission in its settings lets them see it', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.owner })
    const [ben, cleo, dan, fay, outsider] = [
      await chat.user('ben'),
      await chat.user('cleo'),
      await chat.user('dan'),
      await chat.user('fay'),
      await chat.user('outsider'),
    ]
    const settings = { can_subscribe_group: only(dan), can_administer_channel_group: only(fay) }
    const secret = await chat.channel('secret', [ben, cleo], { isPrivate: true, settings })

    await ben.succeed(LEAVE, { subscriptions: ['secret'] })

    for (const person of [ada, cleo, dan, fay]) {
      assert.deepEqual(await channelEventsOf(chat, person), [peersRemoved([secret], [ben])])
    }
    assert.deepEqual(await channelEventsOf(chat, outsider), [])
  })

  test('several users removed at once share one peer event with ascending ids, which they do not receive', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.administrator })
    const [ben, cleo, dan] = [await chat.user('ben'), await chat.user('cleo'), await chat.user('dan')]
    const design = await chat.channel('design', [ben, cleo, dan])

    await ada.succeed(LEAVE, { subscriptions: ['design'], principals: [cleo.id, ben.id] })

    assert.deepEqual(await channelEventsOf(chat, dan), [peersRemoved([design], [ben, cleo])])
    assert.deepEqual(await channelEventsOf(chat, ada), [peersRemoved([design], [ben, cleo])])
    assert.deepEqual(await channelEventsOf(chat, ben), [removed(design)])
    assert.deepEqual(await channelEventsOf(chat, cleo), [removed(design)])
  })

  test('all public channels that a user left share one event, each private channel has its own', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.administrator })
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    const [one, two] = [await chat.channel('one', [ben]), await chat.channel('two', [ben, cleo])]
    const third = await chat.channel('third', [ben, cleo], { isPrivate: true })
    const fourth = await chat.channel('fourth', [ben], { isPrivate: true })

    await ben.succeed(LEAVE, { subscriptions: ['two', 'fourth', 'third', 'one'] })

    assert.deepEqual(await channelEventsOf(chat, ada), [
      peersRemoved([one, two], [ben]),
      peersRemoved([third], [ben]),
      peersRemoved([fourth], [ben]),
    ])
    assert.deepEqual(await channelEventsOf(chat, cleo), [peersRemoved([one, two], [ben]), peersRemoved([third], [ben])])
  })

  test('each recipient gets one event, whichever of the public channels guests can see', async () => {
    const chat = await startChat()
    const [gus, gil] = [await chat.user('gus', { role: Role.guest }), await chat.user('gil', { role: Role.guest })]
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    const one = await chat.channel('one', [ben, gus])
    const two = await chat.channel('two', [ben, gus, gil])
    const three = await chat.channel('three', [ben])
    const web = await chat.channel('web', [ben], { isWebPublic: true })

    await ben.succeed(LEAVE, { subscriptions: ['web', 'three', 'two', 'one'] })

    assert.deepEqual(await channelEventsOf(chat, cleo), [peersRemoved([one, two, three, web], [ben])])
    assert.deepEqual(await channelEventsOf(chat, gus), [peersRemoved([one, two, web], [ben])])
    assert.deepEqual(await channelEventsOf(chat, gil), [peersRemoved([two, web], [ben])])
  })

  test('users who left different channels are in different events', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.administrator })
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    const both = await chat.channel('both', [ben, cleo])
    const single = await chat.channel('single', [cleo])

    await ada.succeed(LEAVE, { subscriptions: ['both', 'single'], principals: [ben.id, cleo.id] })

    assert.deepEqual(await channelEventsOf(chat, ada), [
      peersRemoved([both], [ben, cleo]),
      peersRemoved([single], [cleo]),
    ])
    assert.deepEqual(await channelEventsOf(chat, ben), [removed(both), peersRemoved([single], [cleo])])
    assert.deepEqual(await channelEventsOf(chat, cleo), [removed(both, single)])
  })

  test('a private channel is deleted for a user who leaves it, unless they may still see it', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.administrator })
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    const secret = await chat.channel('secret', [ada, ben, cleo], {
      isPrivate: true,
      settings: { can_add_subscribers_group: only(cleo) },
    })
    const design = await chat.channel('design', [ben])

    for (const person of [ada, ben, cleo]) await person.succeed(LEAVE, { subscriptions: ['secret', 'design'] })

    assert.deepEqual(await channelEventsOf(chat, ben), [
      peersRemoved([secret], [ada]),
      removed(secret, design),
      deleted(secret),
    ])
    assert.equal(
      (await channelEventsOf(chat, ada)).some((event) => event['op'] === 'delete'),
      false,
    )
    assert.equal(
      (await channelEventsOf(chat, cleo)).some((event) => event['op'] === 'delete'),
      false,
    )
  })

  test('a public channel is deleted for a guest who leaves it, a web-public one is not', async () => {
    const chat = await startChat()
    const gus = await chat.user('gus', { role: Role.guest })
    const design = await chat.channel('design', [gus])
    const world = await chat.channel('world', [gus], { isWebPublic: true })

    await gus.succeed(LEAVE, { subscriptions: ['design', 'world'] })

    assert.deepEqual(await channelEventsOf(chat, gus), [removed(design, world), deleted(design)])
  })

  test('a request that ends no subscription emits nothing', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.administrator })
    const ben = await chat.user('ben')
    await chat.channel('design', [])

    await ada.succeed(LEAVE, { subscriptions: ['design'], principals: [ada.id, ben.id] })

    assert.deepEqual(await chat.eventsOf(ada), [])
    assert.deepEqual(await chat.eventsOf(ben), [])
  })

  test('deactivated users receive nothing', async () => {
    const chat = await startChat()
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    await chat.channel('secret', [ben, cleo], { isPrivate: true })
    await markDeactivated(chat, cleo)

    await ben.succeed(LEAVE, { subscriptions: ['secret'] })

    assert.deepEqual(await channelEventsOf(chat, cleo), [])
  })
})

suite('limited guests', () => {
  const lost = (...people: Person[]) =>
    people.map(({ id }) => ({ type: 'realm_user', op: 'remove', person: { user_id: id, full_name: 'Unknown user' } }))
  const visibleUsers = async (chat: Chat, person: Person) =>
    (await chat.eventsOf(person)).filter((event) => event.type === 'realm_user')

  test('a guest who leaves can no longer see users with whom they share nothing else', async () => {
    const chat = await startChat()
    await chat.change({ can_access_all_users_group: 'role:members' })
    const gus = await chat.user('gus', { role: Role.guest })
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    const bot = await chat.user('bot', { botType: BotType.generic, owner: ben })
    await chat.channel('design', [gus, ben, cleo, bot])
    await chat.channel('sales', [gus, cleo])

    await gus.succeed(LEAVE, { subscriptions: ['design'] })

    assert.deepEqual(await visibleUsers(chat, gus), lost(ben))
    assert.deepEqual(await visibleUsers(chat, cleo), [])
  })

  test('a guest who stays can no longer see a user who left', async () => {
    const chat = await startChat()
    await chat.change({ can_access_all_users_group: 'role:members' })
    const gus = await chat.user('gus', { role: Role.guest })
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    await chat.channel('design', [gus, ben, cleo])

    await ben.succeed(LEAVE, { subscriptions: ['design'] })

    assert.deepEqual(await visibleUsers(chat, gus), lost(ben))
  })

  test('where guests may see everyone, no user becomes invisible', async () => {
    const chat = await startChat()
    const gus = await chat.user('gus', { role: Role.guest })
    const ben = await chat.user('ben')
    await chat.channel('design', [gus, ben])

    await ben.succeed(LEAVE, { subscriptions: ['design'] })

    assert.deepEqual(await visibleUsers(chat, gus), [])
  })
})
