import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Chat, type Heard, type Person, startChat } from '../../test/harness.ts'
import { BotType, Role } from '../users/role.ts'

const JOIN = 'POST /users/me/subscriptions'
const LEAVE = 'DELETE /users/me/subscriptions'

const refused = (msg: string) => ({ status: 400, result: 'error', msg, code: 'BAD_REQUEST' })
const only = (...people: Person[]) => ({ direct_members: people.map(({ id }) => id), direct_subgroups: [] })
const named = (...names: string[]) => names.map((name) => ({ name }))

/** The channel of this name as the person sees it. */
async function channelOf(person: Person, name: string): Promise<Record<string, unknown>> {
  const { streams } = await person.succeed('GET /streams', { include_all: true, include_default: true })
  return streams.find((stream: { name: string }) => stream.name === name)
}

async function heard(chat: Chat, person: Person): Promise<Heard[]> {
  const events = await chat.toldTo(person)
  return events.filter((event) => event.type === 'subscription' || event.type === 'stream')
}

suite('joining channels', () => {
  test('somebody joins a channel, and is in it the next time', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    const design = await chat.channel('Design', [])

    const first = await ben.call(JOIN, { subscriptions: named(' design ', 'DESIGN') })
    const second = await ben.call(JOIN, { subscriptions: named('Design') })

    const answer = { status: 200, result: 'success', msg: '' }
    assert.deepEqual(first, { ...answer, subscribed: { [ben.id]: ['Design'] }, already_subscribed: {} })
    assert.deepEqual(second, { ...answer, subscribed: {}, already_subscribed: { [ben.id]: ['Design'] } })
    const { subscribers } = await ben.succeed(`GET /streams/${design.id}/members`)
    assert.deepEqual(subscribers, [ben.id])
  })

  test('of two who join at once each is told so', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    await chat.channel('design', [])

    const answers = await Promise.all([1, 2].map(() => ben.succeed(JOIN, { subscriptions: named('design') })))

    assert.deepEqual(
      answers.map((answer) => Object.keys({ ...answer['subscribed'], ...answer['already_subscribed'] })),
      [[`${ben.id}`], [`${ben.id}`]],
    )
    assert.equal(answers.filter((answer) => answer['subscribed'][ben.id]).length, 1)
  })

  test('a guest may not, a bot may', async () => {
    const chat = await startChat()
    const gus = await chat.user('gus', { role: Role.guest })
    const bot = await chat.user('bot', { botType: BotType.generic, owner: await chat.user('ben') })
    await chat.channel('design', [])

    assert.deepEqual(await gus.call(JOIN, { subscriptions: named('design') }), refused('Not allowed for guest users'))
    assert.partialDeepStrictEqual(await bot.call(JOIN, { subscriptions: named('design') }), {
      subscribed: { [bot.id]: ['design'] },
    })
  })

  test('an archived channel can be joined', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    await chat.channel('old', [])
    const ada = await chat.user('ada', { role: Role.owner })
    await ada.succeed(`DELETE /streams/${(await channelOf(ada, 'old'))['stream_id']}`)

    assert.partialDeepStrictEqual(await ben.call(JOIN, { subscriptions: named('old') }), {
      subscribed: { [ben.id]: ['old'] },
    })
  })

  test('a private channel is joined by whom its settings let join or add others, and by nobody else', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.owner })
    const [ben, cleo, dan] = [await chat.user('ben'), await chat.user('cleo'), await chat.user('dan')]
    await chat.channel('secret', [], {
      isPrivate: true,
      settings: {
        can_subscribe_group: only(ben),
        can_add_subscribers_group: only(cleo),
        can_administer_channel_group: only(dan),
      },
    })

    for (const person of [ben, cleo]) {
      const response = await person.call(JOIN, { subscriptions: named('secret') })
      assert.partialDeepStrictEqual(response, { subscribed: { [person.id]: ['secret'] } })
    }
    for (const person of [ada, dan]) {
      const response = await person.call(JOIN, { subscriptions: named('secret') })
      assert.deepEqual(response, refused('Unable to access channel (secret).'))
    }
  })

  test('a channel that may not be joined refuses all, or is left out where the request says so', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    await chat.channel('secret', [], { isPrivate: true })
    await chat.channel('design', [])
    const subscriptions = named('design', 'Secret')

    const fatal = await ben.call(JOIN, { subscriptions })
    const { subscriptions: afterFatal } = await ben.succeed('GET /users/me/subscriptions')
    const lenient = await ben.call(JOIN, { subscriptions, authorization_errors_fatal: false })

    assert.deepEqual(fatal, refused('Unable to access channel (secret).'))
    assert.deepEqual(afterFatal, [])
    assert.partialDeepStrictEqual(lenient, { subscribed: { [ben.id]: ['design'] }, unauthorized: ['secret'] })
  })

  test('the colour asked for is that of who was never in the channel; others get one by themselves', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    await chat.channel('design', [])
    await chat.channel('sales', [])

    await ben.succeed(JOIN, { subscriptions: [{ name: 'design', color: '#123abc' }, { name: 'sales' }] })
    const bad = await ben.call(JOIN, { subscriptions: [{ name: 'design', color: 'red' }] })

    const { subscriptions } = await ben.succeed('GET /users/me/subscriptions')
    assert.equal(subscriptions[0].color, '#123abc')
    assert.match(subscriptions[1].color, /^#[0-9a-f]{6}$/)
    assert.deepEqual(bad, refused('color is not a valid hex color code'))
  })
})

suite('subscribing others', () => {
  test('members may, unless the organization keeps it to others', async () => {
    const chat = await startChat()
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    await chat.channel('design', [])
    await chat.channel('sales', [])
    const principals = [ben.id, cleo.id]

    const before = await ben.call(JOIN, { subscriptions: named('design'), principals })
    await chat.change({ can_add_subscribers_group: 'role:administrators' })
    const after = await ben.call(JOIN, { subscriptions: named('sales'), principals })

    assert.partialDeepStrictEqual(before, { subscribed: { [ben.id]: ['design'], [cleo.id]: ['design'] } })
    assert.deepEqual(after, refused('Insufficient permission'))
  })

  test('administrators may, and whom the settings of the channel name', async () => {
    const chat = await startChat()
    await chat.change({ can_add_subscribers_group: 'role:nobody' })
    const ada = await chat.user('ada', { role: Role.administrator })
    const [ben, cleo, dan] = [await chat.user('ben'), await chat.user('cleo'), await chat.user('dan')]
    const settings = { can_add_subscribers_group: only(ben), can_administer_channel_group: only(cleo) }
    await chat.channel('design', [], { settings })
    const principals = [dan.id]

    for (const person of [ada, ben, cleo]) {
      const response = await person.call(JOIN, { subscriptions: named('design'), principals })
      assert.equal(response.result, 'success')
    }
    assert.deepEqual(
      await dan.call(JOIN, { subscriptions: named('design'), principals: [ben.id] }),
      refused('Insufficient permission'),
    )
  })

  test('oneself as the only principal is oneself', async () => {
    const chat = await startChat()
    await chat.change({ can_add_subscribers_group: 'role:nobody' })
    const ben = await chat.user('ben')
    await chat.channel('design', [])

    const response = await ben.call(JOIN, { subscriptions: named('design'), principals: [ben.email] })

    assert.partialDeepStrictEqual(response, { subscribed: { [ben.id]: ['design'] } })
  })

  test('an administrator may not put others into a private channel that they cannot read', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.administrator })
    const ben = await chat.user('ben')
    await chat.channel('secret', [], { isPrivate: true })

    const response = await ada.call(JOIN, { subscriptions: named('secret'), principals: [ben.id] })

    assert.deepEqual(response, refused('Unable to access channel (secret).'))
  })

  test('whoever makes a channel puts others into it, whatever the organization says', async () => {
    const chat = await startChat()
    await chat.change({ can_add_subscribers_group: 'role:nobody' })
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]

    const response = await ben.call(JOIN, { subscriptions: named('new'), principals: [cleo.id] })

    assert.partialDeepStrictEqual(response, { subscribed: { [cleo.id]: ['new'] } })
  })

  test('one who is nobody refuses all, and no channel is made', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')

    const response = await ben.call(JOIN, { subscriptions: named('new'), principals: [ben.id, 999_999] })

    assert.deepEqual(response, refused('No such user'))
    assert.equal(await channelOf(ben, 'new'), undefined)
  })
})

suite('making channels by joining them', () => {
  test('a name that means none makes a public channel with the defaults', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')

    const response = await ben.call(JOIN, { subscriptions: [{ name: ' New ', description: 'Two\nlines *here*' }] })

    assert.partialDeepStrictEqual(response, { subscribed: { [ben.id]: ['New'] } })
    const groups = await chat.app.services.db.selectFrom('userGroups').select(['id', 'systemName']).execute()
    const groupId = (name: string) => groups.find((group) => group.systemName === name)?.id
    assert.partialDeepStrictEqual(await channelOf(ben, 'New'), {
      name: 'New',
      description: 'Two lines *here*',
      rendered_description: '<p>Two lines <em>here</em></p>',
      date_created: Math.floor(chat.clock.now()),
      creator_id: ben.id,
      is_archived: false,
      invite_only: false,
      is_web_public: false,
      history_public_to_subscribers: true,
      message_retention_days: null,
      first_message_id: null,
      is_recently_active: true,
      stream_weekly_traffic: null,
      stream_post_policy: 1,
      is_announcement_only: false,
      is_default: false,
      can_add_subscribers_group: groupId('role:nobody'),
      can_administer_channel_group: only(ben),
      can_remove_subscribers_group: groupId('role:administrators'),
      can_send_message_group: groupId('role:everyone'),
      can_subscribe_group: groupId('role:nobody'),
    })
  })

  test('all that the request says of channels made comes true', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.owner })
    const ben = await chat.user('ben')
    const moderators = await groupId(chat, 'role:moderators')

    await ada.succeed(JOIN, {
      subscriptions: named('secret'),
      invite_only: true,
      history_public_to_subscribers: true,
      message_retention_days: 30,
      can_add_subscribers_group: moderators,
      can_administer_channel_group: { direct_members: [ben.id, ada.id, ben.id], direct_subgroups: [] },
      can_remove_subscribers_group: { direct_members: [], direct_subgroups: [moderators] },
      can_send_message_group: await groupId(chat, 'role:administrators'),
      can_subscribe_group: only(ben),
      announce: true,
    })
    await ada.succeed(JOIN, { subscriptions: named('welcome'), is_default_stream: true })

    assert.partialDeepStrictEqual(await channelOf(ada, 'secret'), {
      invite_only: true,
      history_public_to_subscribers: true,
      message_retention_days: 30,
      stream_post_policy: 2,
      is_announcement_only: true,
      can_add_subscribers_group: moderators,
      can_administer_channel_group: only(ada, ben),
      can_remove_subscribers_group: moderators,
      can_subscribe_group: only(ben),
    })
    assert.partialDeepStrictEqual(await channelOf(ada, 'welcome'), { is_default: true, invite_only: false })
  })

  test('a private channel hides its history unless told otherwise', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')

    await ben.succeed(JOIN, { subscriptions: named('secret'), invite_only: true })

    assert.equal((await channelOf(ben, 'secret'))['history_public_to_subscribers'], false)
  })

  test('the organization says who makes which kind of channel; owners have no bypass', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.owner })
    await chat.change({
      can_create_public_channel_group: 'role:nobody',
      can_create_private_channel_group: 'role:nobody',
      can_create_web_public_channel_group: 'role:nobody',
    })
    const make = (params: object) => ada.call(JOIN, { subscriptions: named('new'), ...params })

    const webPublic = await make({ is_web_public: true })
    await chat.change({ enable_spectator_access: true })

    assert.deepEqual(webPublic, refused('Web-public channels are not enabled.'))
    for (const params of [{}, { invite_only: true }, { is_web_public: true }]) {
      assert.deepEqual(await make(params), refused('Insufficient permission'))
    }
  })

  test('an owner makes a web-public channel where spectators are let in', async () => {
    const chat = await startChat()
    await chat.change({ enable_spectator_access: true })
    const ada = await chat.user('ada', { role: Role.owner })

    await ada.succeed(JOIN, { subscriptions: named('world'), is_web_public: true })

    assert.equal((await channelOf(ada, 'world'))['is_web_public'], true)
  })

  test('what makes no sense or is not theirs to say is refused, and nothing is made', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    const ada = await chat.user('ada', { role: Role.owner })
    const [internet, everyone] = [await groupId(chat, 'role:internet'), await groupId(chat, 'role:everyone')]
    const make = (person: Person, params: object) =>
      person.call(JOIN, { subscriptions: named('new', 'newer'), ...params })

    const cases: [Person, object, string][] = [
      [ben, { invite_only: true, is_web_public: true }, 'Invalid parameters'],
      [ben, { history_public_to_subscribers: false }, 'Invalid parameters'],
      [ben, { is_default_stream: true }, 'Insufficient permission'],
      [ada, { is_default_stream: true, invite_only: true }, 'A default channel cannot be private.'],
      [ben, { message_retention_days: 10 }, 'Must be an organization owner'],
      [ada, { message_retention_days: 0 }, "Bad value for 'message_retention_days': 0"],
      [ada, { message_retention_days: '"soon"' }, "Bad value for 'message_retention_days': soon"],
      [ben, { can_subscribe_group: 999_999 }, 'Invalid user group'],
      [ben, { can_subscribe_group: { direct_members: [], direct_subgroups: [999_999] } }, 'Invalid user group'],
      [ben, { can_subscribe_group: { direct_members: [999_999], direct_subgroups: [] } }, 'Invalid user ID: 999999'],
      [
        ben,
        { can_send_message_group: internet },
        "'can_send_message_group' setting cannot be set to 'role:internet' group.",
      ],
      [ben, { can_subscribe_group: everyone }, "'can_subscribe_group' setting cannot be set to 'role:everyone' group."],
    ]
    for (const [person, params, msg] of cases) assert.deepEqual(await make(person, params), refused(msg))

    assert.equal(await channelOf(ada, 'new'), undefined)
    assert.deepEqual(await chat.toldTo(ada), [])
  })

  test('names and descriptions are checked before anything is made', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    const make = (wish: object) => ben.call(JOIN, { subscriptions: [{ name: 'new' }, wish] })

    assert.deepEqual(await make({ name: ' ' }), refused("Channel name can't be empty."))
    assert.deepEqual(await make({ name: 'a'.repeat(61) }), refused('Channel name too long (limit: 60 characters).'))
    assert.deepEqual(
      await make({ name: 'x', description: '😀'.repeat(1025) }),
      refused('description is too long (limit: 1024 characters)'),
    )
    assert.equal((await make({ name: 'x', description: '😀'.repeat(1024) })).result, 'success')
  })

  test('two who make a channel of one name at once make one channel', async () => {
    const chat = await startChat()
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]

    await Promise.all([ben, cleo].map((person) => person.succeed(JOIN, { subscriptions: named('new') })))

    const { streams } = await ben.succeed('GET /streams')
    assert.equal(streams.length, 1)
    const { subscribers } = await ben.succeed(`GET /streams/${streams[0].stream_id}/members`)
    assert.deepEqual(subscribers, [ben.id, cleo.id])
  })
})

suite('events of joining', () => {
  test('who joins a public channel hears of the subscription, all other members that a peer came', async () => {
    const chat = await startChat()
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    const [gus, gil] = [await chat.user('gus', { role: Role.guest }), await chat.user('gil', { role: Role.guest })]
    const design = await chat.channel('design', [gus])

    await ben.succeed(JOIN, { subscriptions: named('design') })

    const [added, ...rest] = await heard(chat, ben)
    assert.partialDeepStrictEqual(added, { type: 'subscription', op: 'add' })
    const { subscriptions } = await ben.succeed('GET /users/me/subscriptions', { include_subscribers: true })
    assert.deepEqual(added?.['subscriptions'], subscriptions)
    assert.deepEqual(rest, [])
    const peerAdded = { type: 'subscription', op: 'peer_add', stream_ids: [design.id], user_ids: [ben.id] }
    for (const person of [cleo, gus]) assert.deepEqual(await heard(chat, person), [peerAdded])
    assert.deepEqual(await heard(chat, gil), [])
  })

  test('who comes into a private channel hears of the channel first', async () => {
    const chat = await startChat()
    const [ben, cleo, dan] = [await chat.user('ben'), await chat.user('cleo'), await chat.user('dan')]
    const secret = await chat.channel('secret', [ben], { isPrivate: true })

    await ben.succeed(JOIN, { subscriptions: named('secret'), principals: [cleo.id] })

    const told = await heard(chat, cleo)
    assert.deepEqual(
      told.map(({ type, op }) => `${type} ${op}`),
      ['stream create', 'subscription add'],
    )
    assert.partialDeepStrictEqual(told[0], { streams: [{ stream_id: secret.id, name: 'secret', invite_only: true }] })
    assert.partialDeepStrictEqual(told[1], {
      subscriptions: [{ stream_id: secret.id, subscribers: [ben.id, cleo.id] }],
    })
    assert.deepEqual(await heard(chat, ben), [
      { type: 'subscription', op: 'peer_add', stream_ids: [secret.id], user_ids: [cleo.id] },
    ])
    assert.deepEqual(await heard(chat, dan), [])
  })

  test('a new public channel is told to all members, a new private one to its people and administrators', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.administrator })
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    const gus = await chat.user('gus', { role: Role.guest })

    await ben.succeed(JOIN, { subscriptions: named('open') })
    await ben.succeed(JOIN, { subscriptions: named('closed'), invite_only: true, principals: [ben.id, gus.id] })

    const kinds = async (person: Person) =>
      (await heard(chat, person)).map((event) => {
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

  test('people to whom the same happens share one event, whoever came back with settings of their own gets another', async () => {
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

  test('a limited guest who comes into a channel gets to know those in it', async () => {
    const chat = await startChat()
    await chat.change({ can_access_all_users_group: 'role:members' })
    const gus = await chat.user('gus', { role: Role.guest })
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    await chat.channel('design', [ben, cleo])
    await chat.channel('sales', [gus, cleo])

    await ben.succeed(JOIN, { subscriptions: named('design'), principals: [gus.id] })

    const faces = (await chat.toldTo(gus)).filter((event) => event.type === 'realm_user')
    assert.deepEqual(
      faces.map((event) => [event['op'], (event['person'] as { user_id: number }).user_id]),
      [['add', ben.id]],
    )
  })
})

suite('joining and leaving in one request', () => {
  const CHANGE = 'PATCH /users/me/subscriptions'

  test('does both', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    await chat.channel('design', [ben])
    await chat.channel('sales', [])

    const response = await ben.call(CHANGE, { add: [{ name: 'sales' }], delete: ['design', 'sales'] })

    assert.partialDeepStrictEqual(response, {
      subscribed: { [ben.id]: ['sales'] },
      already_subscribed: {},
      removed: ['design', 'sales'],
      not_removed: [],
    })
  })

  test('does nothing when half of it is refused', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    await chat.channel('sales', [])

    const response = await ben.call(CHANGE, { add: [{ name: 'sales' }, { name: 'new' }], delete: ['nope'] })

    assert.partialDeepStrictEqual(response, { status: 400, code: 'STREAM_DOES_NOT_EXIST', stream: 'nope' })
    assert.deepEqual((await ben.succeed('GET /users/me/subscriptions'))['subscriptions'], [])
    assert.equal(await channelOf(ben, 'new'), undefined)
    assert.deepEqual(await chat.toldTo(ben), [])
  })

  test('needs something to do; guests may only leave', async () => {
    const chat = await startChat()
    const gus = await chat.user('gus', { role: Role.guest })
    await chat.channel('design', [gus])

    assert.deepEqual(await gus.call(CHANGE), refused('Nothing to do. Specify at least one of "add" or "delete".'))
    assert.deepEqual(await gus.call(CHANGE, { add: named('design') }), refused('Not allowed for guest users'))
    assert.partialDeepStrictEqual(await gus.call(CHANGE, { delete: ['design'] }), { removed: ['design'] })
  })
})

async function groupId(chat: Chat, systemName: string): Promise<number> {
  const row = await chat.app.services.db
    .selectFrom('userGroups')
    .select('id')
    .where('systemName', '=', systemName)
    .where('realmId', '=', chat.realm.id)
    .executeTakeFirstOrThrow()
  return row.id
}
