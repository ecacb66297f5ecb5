import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Role } from '#rules/role.ts'
import { only, refusalResponse, systemGroupId } from '../../test/channels.ts'
import { type Person, startChat } from '../../test/harness.ts'

const JOIN = 'POST /users/me/subscriptions'

const named = (...names: string[]) => names.map((name) => ({ name }))

/** Returns the channel with this name as the user sees it. */
async function channelOf(person: Person, name: string): Promise<Record<string, unknown>> {
  const { streams } = await person.succeed('GET /streams', { include_all: true, include_default: true })
  return streams.find((stream: { name: string }) => stream.name === name)
}

suite('creating channels by joining them', () => {
  test('an unknown name creates a public channel with the defaults', async () => {
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

  test('all properties in the request apply to the created channels', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.owner })
    const ben = await chat.user('ben')
    const moderators = await systemGroupId(chat, 'role:moderators')

    await ada.succeed(JOIN, {
      subscriptions: named('secret'),
      invite_only: true,
      history_public_to_subscribers: true,
      message_retention_days: 30,
      can_add_subscribers_group: moderators,
      can_administer_channel_group: { direct_members: [ben.id, ada.id, ben.id], direct_subgroups: [] },
      can_remove_subscribers_group: { direct_members: [], direct_subgroups: [moderators] },
      can_send_message_group: await systemGroupId(chat, 'role:administrators'),
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

  test('a private channel hides its history unless the request says otherwise', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')

    await ben.succeed(JOIN, { subscriptions: named('secret'), invite_only: true })

    assert.equal((await channelOf(ben, 'secret'))['history_public_to_subscribers'], false)
  })

  test('the organization decides who creates which kind of channel, and owners have no bypass', async () => {
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

    assert.deepEqual(webPublic, refusalResponse('Web-public channels are not enabled.'))
    for (const params of [{}, { invite_only: true }, { is_web_public: true }]) {
      assert.deepEqual(await make(params), refusalResponse('Insufficient permission'))
    }
  })

  test('an owner creates a web-public channel if spectators are allowed', async () => {
    const chat = await startChat()
    await chat.change({ enable_spectator_access: true })
    const ada = await chat.user('ada', { role: Role.owner })

    await ada.succeed(JOIN, { subscriptions: named('world'), is_web_public: true })

    assert.equal((await channelOf(ada, 'world'))['is_web_public'], true)
  })

  test('an inconsistent or forbidden request is refused, and nothing is created', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    const ada = await chat.user('ada', { role: Role.owner })
    const [internet, everyone] = [
      await systemGroupId(chat, 'role:internet'),
      await systemGroupId(chat, 'role:everyone'),
    ]
    const make = (person: Person, params: object) =>
      person.call(JOIN, { subscriptions: named('new', 'newer'), ...params })

    const cases: [Person, object, string][] = [
      [ben, { invite_only: true, is_web_public: true }, 'Invalid parameters'],
      [ben, { history_public_to_subscribers: false }, 'Invalid parameters'],
      [ben, { is_default_stream: true }, 'Insufficient permission'],
      [ada, { is_default_stream: true, invite_only: true }, 'A default channel cannot be private.'],
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
    for (const [person, params, msg] of cases) assert.deepEqual(await make(person, params), refusalResponse(msg))
    for (const [days, given] of [
      [0, 0],
      ['soon', '"soon"'],
    ]) {
      const refused = refusalResponse(`Bad value for 'message_retention_days': ${days}`, 'REQUEST_VARIABLE_INVALID')
      const expected = { ...refused, var_name: 'message_retention_days', bad_value: days }
      assert.deepEqual(await make(ada, { message_retention_days: given }), expected)
    }
    const ownersOnly = refusalResponse('Must be an organization owner', 'UNAUTHORIZED_PRINCIPAL')
    assert.deepEqual(await make(ben, { message_retention_days: 10 }), ownersOnly)

    assert.equal(await channelOf(ada, 'new'), undefined)
    assert.deepEqual(await chat.eventsOf(ada), [])
  })

  test('names and descriptions are checked before anything is created', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    const make = (request: object) => ben.call(JOIN, { subscriptions: [{ name: 'new' }, request] })

    assert.deepEqual(await make({ name: ' ' }), refusalResponse("Channel name can't be empty."))
    assert.deepEqual(
      await make({ name: 'a'.repeat(61) }),
      refusalResponse('Channel name too long (limit: 60 characters).'),
    )
    assert.deepEqual(
      await make({ name: 'x', description: '😀'.repeat(1025) }),
      refusalResponse('description is too long (limit: 1024 characters)'),
    )
    assert.equal((await make({ name: 'x', description: '😀'.repeat(1024) })).result, 'success')
  })

  test('two concurrent requests for the same name create one channel', async () => {
    const chat = await startChat()
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]

    await Promise.all([ben, cleo].map((person) => person.succeed(JOIN, { subscriptions: named('new') })))

    const { streams } = await ben.succeed('GET /streams')
    assert.equal(streams.length, 1)
    const { subscribers } = await ben.succeed(`GET /streams/${streams[0].stream_id}/members`)
    assert.deepEqual(subscribers, [ben.id, cleo.id])
  })
})
