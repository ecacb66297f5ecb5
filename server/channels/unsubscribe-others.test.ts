import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { AddressVisibility } from '#people/user-settings.ts'
import { BotType, Role } from '#rules/role.ts'
import { isSubscribed, markDeactivated, only, refusalResponse } from '../../test/channels.ts'
import { startChat } from '../../test/harness.ts'

const LEAVE = 'DELETE /users/me/subscriptions'

suite('principals', () => {
  test('can be ids and API email addresses in any case, and each user counts once', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.administrator })
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    await chat.channel('design', [ben, cleo])

    const byId = await ada.call(LEAVE, { subscriptions: ['design'], principals: [ben.id, ben.id] })
    const byAddress = await ada.call(LEAVE, {
      subscriptions: ['design'],
      principals: [' CLEO@example.COM ', 'cleo@example.com', 'ben@example.com'],
    })

    assert.partialDeepStrictEqual(byId, { removed: ['design'], not_removed: [] })
    assert.partialDeepStrictEqual(byAddress, { removed: ['design'], not_removed: ['design'] })
  })

  test('a hidden real address matches no user, the placeholder does', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.administrator })
    const ben = await chat.user('ben', { settings: { email_address_visibility: AddressVisibility.nobody } })
    await chat.channel('design', [ben])

    const byAddress = await ada.call(LEAVE, { subscriptions: ['design'], principals: [ben.email] })
    const byPlaceholder = await ada.call(LEAVE, {
      subscriptions: ['design'],
      principals: [`USER${ben.id}@parley.test`],
    })

    assert.deepEqual(byAddress, refusalResponse('No such user'))
    assert.partialDeepStrictEqual(byPlaceholder, { removed: ['design'] })
  })

  test('the name of a channel is repeated for each user who leaves it, and for each who was not subscribed', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.administrator })
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    await chat.channel('design', [ben, cleo])
    const request = { subscriptions: ['design'], principals: [ben.id, cleo.id] }

    const response = await ada.call(LEAVE, request)
    const repeated = await ada.call(LEAVE, request)

    assert.partialDeepStrictEqual(response, { removed: ['design', 'design'], not_removed: [] })
    assert.partialDeepStrictEqual(repeated, { removed: [], not_removed: ['design', 'design'] })
  })

  test('a request with one unknown user is refused, before names and permissions are checked', async () => {
    const chat = await startChat()
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    const eve = await chat.user('eve', { realm: await chat.organization('other') })
    const gone = await chat.user('gone')
    const design = await chat.channel('design', [cleo])
    await markDeactivated(chat, gone)

    for (const unknown of [999_999, eve.id, 0, -1]) {
      const response = await ben.call(LEAVE, { subscriptions: ['nope'], principals: [gone.id, cleo.id, unknown] })
      assert.deepEqual(response, refusalResponse('No such user'))
    }
    for (const unknown of ['nobody@example.com', '', eve.email, 'user999999@parley.test']) {
      const response = await ben.call(LEAVE, { subscriptions: [''], principals: [cleo.email, unknown] })
      assert.deepEqual(response, refusalResponse('No such user'))
    }
    for (const digits of [20, 400]) {
      const response = await ben.call(LEAVE, { subscriptions: '[]', principals: `[${cleo.id}, ${'9'.repeat(digits)}]` })
      assert.deepEqual(response, refusalResponse('No such user'))
    }
    assert.equal(await isSubscribed(cleo, design), true)
  })

  test('a deactivated user is refused', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.administrator })
    const ben = await chat.user('ben')
    await chat.channel('design', [ben])
    await markDeactivated(chat, ben)

    const response = await ada.call(LEAVE, { subscriptions: ['design'], principals: [ben.id] })

    assert.deepEqual(response, refusalResponse('User is deactivated'))
  })

  test('a user whom a limited guest may not see is refused before the names are checked', async () => {
    const chat = await startChat()
    await chat.change({ can_access_all_users_group: 'role:members' })
    const gus = await chat.user('gus', { role: Role.guest })
    const ben = await chat.user('ben')

    const response = await gus.call(LEAVE, { subscriptions: [''], principals: [ben.id] })

    assert.deepEqual(response, refusalResponse('Insufficient permission'))
  })
})

suite('removing other users', () => {
  test('administrators may remove users, including from private channels that they are not in', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.administrator })
    const ben = await chat.user('ben')
    const secret = await chat.channel('secret', [ben], {
      isPrivate: true,
      settings: { can_remove_subscribers_group: 'role:nobody' },
    })

    const response = await ada.call(LEAVE, { subscriptions: ['secret'], principals: [ben.id] })

    assert.partialDeepStrictEqual(response, { removed: ['secret'] })
    assert.equal((await ada.succeed(`GET /streams/${secret.id}/members`))['subscribers'].length, 0)
  })

  test('members and moderators may not, with the default setting of the channel', async () => {
    const chat = await startChat()
    const mo = await chat.user('mo', { role: Role.moderator })
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    const design = await chat.channel('design', [mo, ben, cleo])

    for (const person of [mo, ben]) {
      const response = await person.call(LEAVE, { subscriptions: ['design'], principals: [cleo.id] })
      assert.deepEqual(response, refusalResponse('Insufficient permission'))
    }
    assert.equal(await isSubscribed(cleo, design), true)
  })

  test('members named in the setting of the channel may, also through subgroups', async () => {
    const chat = await startChat()
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    await chat.channel('design', [cleo], { settings: { can_remove_subscribers_group: only(ben) } })
    await chat.channel('sales', [cleo], { settings: { can_remove_subscribers_group: 'role:members' } })

    const response = await ben.call(LEAVE, { subscriptions: ['design', 'sales'], principals: [cleo.id] })

    assert.partialDeepStrictEqual(response, { removed: ['design', 'sales'] })
  })

  test('users who may remove others still have to see the channel', async () => {
    const chat = await startChat()
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    const settings = { can_remove_subscribers_group: only(ben) }
    await chat.channel('secret', [cleo], { isPrivate: true, settings })
    await chat.channel('joinable', [cleo], {
      isPrivate: true,
      settings: { ...settings, can_subscribe_group: only(ben) },
    })
    await chat.channel('shared', [ben, cleo], { isPrivate: true, settings })
    const remove = (name: string) => ben.call(LEAVE, { subscriptions: [name], principals: [cleo.id] })

    assert.partialDeepStrictEqual(await remove('secret'), { code: 'STREAM_DOES_NOT_EXIST', stream: 'secret' })
    assert.partialDeepStrictEqual(await remove('joinable'), { removed: ['joinable'] })
    assert.partialDeepStrictEqual(await remove('shared'), { removed: ['shared'] })
  })

  test('a former subscriber of a private channel may not, although they can see it', async () => {
    const chat = await startChat()
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    const settings = { can_remove_subscribers_group: only(ben) }
    await chat.channel('secret', [ben, cleo], { isPrivate: true, settings })
    await ben.succeed(LEAVE, { subscriptions: ['secret'] })

    const response = await ben.call(LEAVE, { subscriptions: ['secret'], principals: [cleo.id] })

    assert.deepEqual(response, refusalResponse('Insufficient permission'))
  })

  test('administrators of every channel may, administrators of only one of them may not', async () => {
    const chat = await startChat()
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    const administered = {
      isPrivate: true,
      settings: { can_administer_channel_group: only(ben), can_remove_subscribers_group: 'role:nobody' },
    } as const
    const first = await chat.channel('first', [cleo], administered)
    await chat.channel('second', [cleo], administered)
    await chat.channel('third', [ben, cleo], { settings: { can_remove_subscribers_group: only(ben) } })
    const remove = (...names: string[]) => ben.call(LEAVE, { subscriptions: names, principals: [cleo.id] })

    assert.deepEqual(await remove('first', 'third'), refusalResponse('Insufficient permission'))
    assert.equal(await isSubscribed(cleo, first), true)
    assert.partialDeepStrictEqual(await remove('first', 'second'), { removed: ['first', 'second'] })
  })

  test('if the caller has no permission in one channel, no one is removed from any channel', async () => {
    const chat = await startChat()
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    const design = await chat.channel('design', [cleo], { settings: { can_remove_subscribers_group: only(ben) } })
    await chat.channel('sales', [cleo])

    const response = await ben.call(LEAVE, { subscriptions: ['design', 'sales'], principals: [cleo.id] })

    assert.deepEqual(response, refusalResponse('Insufficient permission'))
    assert.equal(await isSubscribed(cleo, design), true)
  })

  test('permission for the existing channels is checked before unknown names are reported', async () => {
    const chat = await startChat()
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    await chat.channel('design', [cleo])

    const response = await ben.call(LEAVE, { subscriptions: ['nope', 'design'], principals: [cleo.id] })

    assert.deepEqual(response, refusalResponse('Insufficient permission'))
  })

  test('the order of the checks does not reveal a private channel that the caller cannot see', async () => {
    const chat = await startChat()
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    await chat.channel('secret', [cleo], { isPrivate: true })
    const remove = (name: string) => ben.call(LEAVE, { subscriptions: [name], principals: [cleo.id] })

    const [ofSecret, ofNone] = [await remove('secret'), await remove('nothing')]

    assert.deepEqual(ofSecret, { ...ofNone, msg: "Channel 'secret' does not exist", stream: 'secret' })
  })

  test('guests never may, even if the settings name them or the channel does not exist', async () => {
    const chat = await startChat()
    const gus = await chat.user('gus', { role: Role.guest })
    const ben = await chat.user('ben')
    const settings = { can_remove_subscribers_group: only(gus), can_administer_channel_group: only(gus) }
    await chat.channel('design', [gus, ben], { settings })

    for (const subscriptions of [['design'], ['nope'], []]) {
      const response = await gus.call(LEAVE, { subscriptions, principals: [ben.id] })
      assert.deepEqual(response, refusalResponse('Insufficient permission'))
    }
  })

  test('removing others together with the caller needs the permission as well', async () => {
    const chat = await startChat()
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    const design = await chat.channel('design', [ben, cleo])

    const response = await ben.call(LEAVE, { subscriptions: ['design'], principals: [ben.id, cleo.id] })

    assert.deepEqual(response, refusalResponse('Insufficient permission'))
    assert.equal(await isSubscribed(ben, design), true)
  })
})

suite('bots', () => {
  test('their owner can remove them from any channel, even if the owner cannot see it', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    const bot = await chat.user('bot', { botType: BotType.generic, owner: ben })
    await chat.channel('secret', [bot], { isPrivate: true })

    const response = await ben.call(LEAVE, { subscriptions: ['secret'], principals: [bot.id] })
    const retry = await ben.call(LEAVE, { subscriptions: ['secret'], principals: [bot.id] })

    assert.partialDeepStrictEqual(response, { removed: ['secret'] })
    assert.partialDeepStrictEqual(retry, { removed: [], not_removed: ['secret'] })
  })

  test('no one else can', async () => {
    const chat = await startChat()
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    const bot = await chat.user('bot', { botType: BotType.generic, owner: ben })
    await chat.channel('design', [bot])

    const response = await cleo.call(LEAVE, { subscriptions: ['design'], principals: [bot.id] })

    assert.deepEqual(response, refusalResponse('Insufficient permission'))
  })

  test('they can leave channels, but cannot remove their owner', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    const bot = await chat.user('bot', { botType: BotType.generic, owner: ben })
    await chat.channel('design', [ben, bot])

    const ofOwner = await bot.call(LEAVE, { subscriptions: ['design'], principals: [ben.id] })
    const ofItself = await bot.call(LEAVE, { subscriptions: ['design'] })

    assert.deepEqual(ofOwner, refusalResponse('Insufficient permission'))
    assert.partialDeepStrictEqual(ofItself, { removed: ['design'] })
  })
})
