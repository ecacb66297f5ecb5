import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { BotType, Role } from '#rules/role.ts'
import { markDeactivated, only, refusalResponse } from '../../test/channels.ts'
import { type Chat, type Person, startChat } from '../../test/harness.ts'

const nothing = { include_public: false, include_subscribed: false }

async function names(person: Person, params: object = {}): Promise<string[]> {
  const { streams } = await person.succeed('GET /streams', { ...params })
  return streams.map((stream: { name: string }) => stream.name)
}

/** Creates a channel of every kind. Ben is subscribed to `mine`, `secret` and `old`. */
async function createChannels(chat: Chat, ben: Person): Promise<void> {
  await chat.channel('public', [])
  await chat.channel('mine', [ben])
  await chat.channel('world', [], { isWebPublic: true })
  await chat.channel('secret', [ben], { isPrivate: true })
  await chat.channel('hidden', [], { isPrivate: true })
  await chat.channel('joinable', [], { isPrivate: true, settings: { can_subscribe_group: only(ben) } })
  await chat.channel('run by ben', [], { isPrivate: true, settings: { can_administer_channel_group: only(ben) } })
  const old = await chat.channel('old', [ben])
  await chat.app.services.transaction((tx) =>
    tx.updateTable('channels').set({ archivedAt: tx.now }).where('id', '=', old.id).execute(),
  )
}

suite('listing channels', () => {
  test('a member sees public channels and their own, ordered by name', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    await createChannels(chat, ben)

    assert.deepEqual(await names(ben), ['mine', 'public', 'secret', 'world'])
  })

  test('each filter adds its channels', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.administrator })
    const ben = await chat.user('ben')
    await createChannels(chat, ben)
    const { id } = await chat.channel('default', [])
    await ada.succeed('POST /default_streams', { stream_id: id })
    const add = (params: object) => names(ben, { ...nothing, ...params })

    assert.deepEqual(await add({}), [])
    assert.deepEqual(await add({ include_public: true }), ['default', 'mine', 'public', 'world'])
    assert.deepEqual(await add({ include_web_public: true }), ['world'])
    assert.deepEqual(await add({ include_subscribed: true }), ['mine', 'secret'])
    assert.deepEqual(await add({ include_subscribed: true, exclude_archived: false }), ['mine', 'old', 'secret'])
    assert.deepEqual(await add({ include_default: true }), ['default'])
    const readable = ['default', 'joinable', 'mine', 'public', 'secret', 'world']
    assert.deepEqual(await add({ include_can_access_content: true }), readable)
    assert.deepEqual(await add({ include_all: true }), [...readable, 'run by ben'].sort())
    assert.deepEqual(
      await add({ include_all_active: true, exclude_archived: false }),
      [...readable, 'run by ben'].sort(),
    )
    assert.equal((await names(ada, { include_all: true })).includes('hidden'), true)
  })

  test('a guest sees their own channels and, on request, web-public ones; default channels are no exception', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.administrator })
    const gus = await chat.user('gus', { role: Role.guest })
    await createChannels(chat, gus)
    const { id } = await chat.channel('default', [])
    await ada.succeed('POST /default_streams', { stream_id: id })

    assert.deepEqual(await names(gus), ['mine', 'secret'])
    assert.deepEqual(await names(gus, { include_default: true, include_all: true }), ['mine', 'secret', 'world'])
  })

  test('a bot can list the channels of its owner', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    const bot = await chat.user('bot', { botType: BotType.generic, owner: ben })
    await createChannels(chat, ben)

    assert.deepEqual(await names(bot, { ...nothing, include_owner_subscribed: true }), ['mine', 'secret'])
    assert.deepEqual(await names(ben, { ...nothing, include_owner_subscribed: true }), [])
  })

  test('channels of another organization are never listed', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.owner })
    const othersChannel = await chat.channel('theirs', [], { realm: await chat.organization('other') })

    assert.deepEqual(await names(ada, { include_all: true }), [])
    assert.deepEqual(await ada.call(`GET /streams/${othersChannel.id}`), refusalResponse('Invalid channel ID'))
    assert.deepEqual(await ada.call(`GET /streams/${othersChannel.id}/members`), refusalResponse('Invalid channel ID'))
    assert.deepEqual(
      await ada.call('GET /get_stream_id', { stream: 'theirs' }),
      refusalResponse("Invalid channel name 'theirs'"),
    )
  })
})

suite('one channel', () => {
  test('users who may see a channel can get it by id and by name', async () => {
    const chat = await startChat()
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    const secret = await chat.channel('Secret', [ben], { isPrivate: true })

    assert.equal((await ben.succeed(`GET /streams/${secret.id}`))['stream'].name, 'Secret')
    assert.equal((await ben.succeed('GET /get_stream_id', { stream: ' secret' }))['stream_id'], secret.id)
    assert.deepEqual(await cleo.call(`GET /streams/${secret.id}`), refusalResponse('Invalid channel ID'))
    assert.deepEqual(
      await cleo.call('GET /get_stream_id', { stream: 'Secret' }),
      refusalResponse("Invalid channel name 'Secret'"),
    )
  })

  test('users who may see a channel can list its active subscribers', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.administrator })
    const [ben, cleo, gone] = [await chat.user('ben'), await chat.user('cleo'), await chat.user('gone')]
    const secret = await chat.channel('secret', [gone, ben], { isPrivate: true })
    await markDeactivated(chat, gone)

    assert.deepEqual((await ada.succeed(`GET /streams/${secret.id}/members`))['subscribers'], [ben.id])
    assert.deepEqual(await cleo.call(`GET /streams/${secret.id}/members`), refusalResponse('Invalid channel ID'))
  })

  test('a channel includes its oldest message, whether it is active, and its weekly traffic', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    const design = await chat.channel('design', [ben])
    const seen = async () => (await ben.succeed(`GET /streams/${design.id}`))['stream']
    const days = (count: number) => chat.clock.advance(count * 86_400)
    const fresh = await seen()
    await days(1)
    const { id } = await ben.succeed('POST /messages', { type: 'channel', to: 'design', topic: 't', content: 'hi' })
    for (let i = 0; i < 7; i++) {
      await ben.succeed('POST /messages', { type: 'channel', to: 'design', topic: 't', content: 'hi' })
    }
    await days(13)
    const twoWeeks = await seen()
    await days(170)
    const halfAYear = await seen()
    await days(30)

    assert.partialDeepStrictEqual(fresh, {
      first_message_id: null,
      is_recently_active: true,
      stream_weekly_traffic: null,
    })
    assert.partialDeepStrictEqual(twoWeeks, {
      first_message_id: id,
      is_recently_active: true,
      stream_weekly_traffic: 4,
    })
    assert.partialDeepStrictEqual(halfAYear, { is_recently_active: false, stream_weekly_traffic: 0 })
  })

  test('the active subscribers of each channel are counted on request', async () => {
    const chat = await startChat()
    const [ben, cleo, dan] = [await chat.user('ben'), await chat.user('cleo'), await chat.user('dan')]
    await chat.channel('full', [ben, cleo, dan])
    await chat.channel('empty', [])
    await markDeactivated(chat, dan)
    await cleo.succeed('DELETE /users/me/subscriptions', { subscriptions: ['full'] })

    const { streams } = await ben.succeed('GET /streams', { include_subscriber_counts: true })

    assert.deepEqual(
      streams.map(({ name, subscriber_count }: Record<string, unknown>) => [name, subscriber_count]),
      [
        ['empty', 0],
        ['full', 1],
      ],
    )
    assert.equal((await ben.succeed('GET /streams')).streams[0].subscriber_count, undefined)
  })
})
