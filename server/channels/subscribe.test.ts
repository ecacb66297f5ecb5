import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { BotType, Role } from '#rules/role.ts'
import { only, refusalResponse } from '../../test/channels.ts'
import { type Person, startChat } from '../../test/harness.ts'

const JOIN = 'POST /users/me/subscriptions'

const named = (...names: string[]) => names.map((name) => ({ name }))

/** Returns the channel with this name as the user sees it. */
async function channelOf(person: Person, name: string): Promise<Record<string, unknown>> {
  const { streams } = await person.succeed('GET /streams', { include_all: true, include_default: true })
  return streams.find((stream: { name: string }) => stream.name === name)
}

suite('joining channels', () => {
  test('a user joins a channel, and is already subscribed when they join again', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    const design = await chat.channel('Design', [])

    const first = await ben.call(JOIN, { subscriptions: named(' design ', 'DESIGN') })
    const second = await ben.call(JOIN, { subscriptions: named('Design') })

    const response = { status: 200, result: 'success', msg: '' }
    assert.deepEqual(first, { ...response, subscribed: { [ben.id]: ['Design'] }, already_subscribed: {} })
    assert.deepEqual(second, { ...response, subscribed: {}, already_subscribed: { [ben.id]: ['Design'] } })
    const { subscribers } = await ben.succeed(`GET /streams/${design.id}/members`)
    assert.deepEqual(subscribers, [ben.id])
  })

  test('of two users who join at once, each receives their own subscription', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    await chat.channel('design', [])

    const responses = await Promise.all([1, 2].map(() => ben.succeed(JOIN, { subscriptions: named('design') })))

    assert.deepEqual(
      responses.map((response) => Object.keys({ ...response['subscribed'], ...response['already_subscribed'] })),
      [[`${ben.id}`], [`${ben.id}`]],
    )
    assert.equal(responses.filter((response) => response['subscribed'][ben.id]).length, 1)
  })

  test('guests cannot join, bots can', async () => {
    const chat = await startChat()
    const gus = await chat.user('gus', { role: Role.guest })
    const bot = await chat.user('bot', { botType: BotType.generic, owner: await chat.user('ben') })
    await chat.channel('design', [])

    assert.deepEqual(
      await gus.call(JOIN, { subscriptions: named('design') }),
      refusalResponse('Not allowed for guest users'),
    )
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

  test('only users whom the settings of a private channel allow to join or to add subscribers can join it', async () => {
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
      assert.deepEqual(response, refusalResponse('Unable to access channel (secret).'))
    }
  })

  test('a request with a channel that may not be joined is refused, or skips the channel if it says so', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    await chat.channel('secret', [], { isPrivate: true })
    await chat.channel('design', [])
    const subscriptions = named('design', 'Secret')

    const fatal = await ben.call(JOIN, { subscriptions })
    const { subscriptions: afterFatal } = await ben.succeed('GET /users/me/subscriptions')
    const lenient = await ben.call(JOIN, { subscriptions, authorization_errors_fatal: false })

    assert.deepEqual(fatal, refusalResponse('Unable to access channel (secret).'))
    assert.deepEqual(afterFatal, [])
    assert.partialDeepStrictEqual(lenient, { subscribed: { [ben.id]: ['design'] }, unauthorized: ['secret'] })
  })

  test('a user who may not create channels gets the same error for a hidden channel as for a missing one', async () => {
    const chat = await startChat()
    await chat.change({ can_create_public_channel_group: 'role:administrators' })
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    const hal = await chat.user('hal', { botType: BotType.generic, owner: ben })
    await chat.channel('design', [])
    await chat.channel('secret', [cleo], { isPrivate: true })
    await cleo.succeed('DELETE /users/me/subscriptions', { subscriptions: ['secret'] })

    for (const name of ['secret', 'nope']) {
      for (const authorization_errors_fatal of [true, false]) {
        for (const subscriptions of [named(name), named('design', name)]) {
          for (const person of [ben, hal]) {
            const response = await person.call(JOIN, { subscriptions, authorization_errors_fatal })
            assert.deepEqual(response, refusalResponse('Insufficient permission'))
          }
        }
      }
      assert.deepEqual(
        await ben.call('PATCH /users/me/subscriptions', { add: named(name) }),
        refusalResponse('Insufficient permission'),
      )
    }
    assert.deepEqual(
      await cleo.call(JOIN, { subscriptions: named('secret') }),
      refusalResponse('Unable to access channel (secret).'),
    )
  })

  test('an error in the request for a new channel is reported even if a hidden channel has that name', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    await chat.channel('secret', [], { isPrivate: true })
    const invalidSetting = { can_administer_channel_group: 999_999 }

    for (const name of ['secret', 'nope']) {
      assert.deepEqual(
        await ben.call(JOIN, { subscriptions: named(name), ...invalidSetting }),
        refusalResponse('Invalid user group'),
      )
    }
    assert.deepEqual(
      await ben.call(JOIN, { subscriptions: named('secret') }),
      refusalResponse('Unable to access channel (secret).'),
    )
  })

  test('a requested color applies to new subscriptions; otherwise colors are chosen automatically', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    await chat.channel('design', [])
    await chat.channel('sales', [])

    await ben.succeed(JOIN, { subscriptions: [{ name: 'design', color: '#123abc' }, { name: 'sales' }] })
    const invalid = await ben.call(JOIN, { subscriptions: [{ name: 'design', color: 'red' }] })

    const { subscriptions } = await ben.succeed('GET /users/me/subscriptions')
    assert.equal(subscriptions[0].color, '#123abc')
    assert.match(subscriptions[1].color, /^#[0-9a-f]{6}$/)
    assert.deepEqual(invalid, refusalResponse('color is not a valid hex color code'))
  })

  test('of two requests for one channel the first one counts, and a color from before leaving is kept', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    const colorOf = async () => (await ben.succeed('GET /users/me/subscriptions')).subscriptions[0].color
    const [first, second] = [
      { name: 'Design', description: 'First', color: '#111111' },
      { name: 'DESIGN', description: 'Second', color: '#222222' },
    ]

    await ben.succeed(JOIN, { subscriptions: [first, second] })
    assert.partialDeepStrictEqual(await channelOf(ben, 'Design'), { description: 'First' })
    assert.equal(await colorOf(), '#111111')
    await ben.succeed('DELETE /users/me/subscriptions', { subscriptions: ['Design'] })
    await ben.succeed(JOIN, { subscriptions: [second] })
    assert.equal(await colorOf(), '#111111')
  })
})

suite('subscribing others', () => {
  test('members may subscribe others, unless the organization limits this', async () => {
    const chat = await startChat()
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    await chat.channel('design', [])
    await chat.channel('sales', [])
    const principals = [ben.id, cleo.id]

    const before = await ben.call(JOIN, { subscriptions: named('design'), principals })
    await chat.change({ can_add_subscribers_group: 'role:administrators' })
    const after = await ben.call(JOIN, { subscriptions: named('sales'), principals })

    assert.partialDeepStrictEqual(before, { subscribed: { [ben.id]: ['design'], [cleo.id]: ['design'] } })
    assert.deepEqual(after, refusalResponse('Insufficient permission'))
  })

  test('administrators may, and so may users named in the settings of the channel', async () => {
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
      refusalResponse('Insufficient permission'),
    )
  })

  test('a request for only the caller does not count as subscribing others', async () => {
    const chat = await startChat()
    await chat.change({ can_add_subscribers_group: 'role:nobody' })
    const ben = await chat.user('ben')
    await chat.channel('design', [])

    const response = await ben.call(JOIN, { subscriptions: named('design'), principals: [ben.email] })

    assert.partialDeepStrictEqual(response, { subscribed: { [ben.id]: ['design'] } })
  })

  test('an administrator cannot subscribe others to a private channel that they cannot read', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.administrator })
    const ben = await chat.user('ben')
    await chat.channel('secret', [], { isPrivate: true })

    const response = await ada.call(JOIN, { subscriptions: named('secret'), principals: [ben.id] })

    assert.deepEqual(response, refusalResponse('Unable to access channel (secret).'))
  })

  test("the creator of a channel can subscribe others to it, regardless of the organization's settings", async () => {
    const chat = await startChat()
    await chat.change({ can_add_subscribers_group: 'role:nobody' })
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]

    const response = await ben.call(JOIN, { subscriptions: named('new'), principals: [cleo.id] })

    assert.partialDeepStrictEqual(response, { subscribed: { [cleo.id]: ['new'] } })
  })

  test('a request with one unknown user is refused, and no channel is created', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')

    const response = await ben.call(JOIN, { subscriptions: named('new'), principals: [ben.id, 999_999] })

    assert.deepEqual(response, refusalResponse('No such user'))
    assert.equal(await channelOf(ben, 'new'), undefined)
  })
})
