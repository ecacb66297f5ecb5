import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Role } from '#rules/role.ts'
import { isSubscribed, only } from '../../test/channels.ts'
import { type Chat, startChat } from '../../test/harness.ts'

const LEAVE = 'DELETE /users/me/subscriptions'

const missing = (name: string) => ({
  status: 400,
  result: 'error',
  msg: `Channel '${name}' does not exist`,
  stream: name,
  code: 'STREAM_DOES_NOT_EXIST',
})

suite('unknown names', () => {
  test('the first unknown name is refused, and no channel is left', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    const design = await chat.channel('design', [ben])

    const response = await ben.call(LEAVE, { subscriptions: ['design', ' Nope ', 'nada'] })

    assert.deepEqual(response, missing('Nope'))
    assert.equal(await isSubscribed(ben, design), true)
    assert.deepEqual(await chat.eventsOf(ben), [])
  })

  test('guests get the same error', async () => {
    const chat = await startChat()
    const gus = await chat.user('gus', { role: Role.guest })

    assert.deepEqual(await gus.call(LEAVE, { subscriptions: ['nope'] }), missing('nope'))
  })

  test('a private channel that the caller cannot see gets the same error', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    const cleo = await chat.user('cleo')
    await chat.channel('secret', [cleo], { isPrivate: true })

    assert.deepEqual(await ben.call(LEAVE, { subscriptions: ['Secret'] }), missing('Secret'))
  })

  test('a private channel that the caller left is found, so that the request can be repeated', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    await chat.channel('secret', [ben], { isPrivate: true })
    await ben.succeed(LEAVE, { subscriptions: ['secret'] })

    const response = await ben.call(LEAVE, { subscriptions: ['secret'] })

    assert.partialDeepStrictEqual(response, { result: 'success', removed: [], not_removed: ['secret'] })
  })

  test('a private channel is found by users whom its settings let join or administer it', async () => {
    const chat = await startChat()
    const [ben, cleo, dan] = [await chat.user('ben'), await chat.user('cleo'), await chat.user('dan')]
    await chat.channel('secret', [], {
      isPrivate: true,
      settings: {
        can_subscribe_group: only(ben),
        can_add_subscribers_group: only(cleo),
        can_administer_channel_group: only(dan),
      },
    })

    for (const person of [ben, cleo, dan]) {
      const response = await person.call(LEAVE, { subscriptions: ['secret'] })
      assert.partialDeepStrictEqual(response, { removed: [], not_removed: ['secret'] })
    }
  })

  test('a guest finds web-public channels, but no public channel that they never joined', async () => {
    const chat = await startChat()
    const gus = await chat.user('gus', { role: Role.guest })
    await chat.channel('design', [])
    await chat.channel('world', [], { isWebPublic: true })

    assert.deepEqual(await gus.call(LEAVE, { subscriptions: ['design'] }), missing('design'))
    assert.partialDeepStrictEqual(await gus.call(LEAVE, { subscriptions: ['world'] }), { not_removed: ['world'] })
  })

  test('a guest named in the settings of a private channel does not find it', async () => {
    const chat = await startChat()
    const gus = await chat.user('gus', { role: Role.guest })
    const onlyGus = { direct_members: [gus.id], direct_subgroups: [] }
    const settings = { can_subscribe_group: onlyGus, can_administer_channel_group: onlyGus }
    await chat.channel('secret', [], { isPrivate: true, settings })

    assert.deepEqual(await gus.call(LEAVE, { subscriptions: ['secret'] }), missing('secret'))
  })

  test('a channel of another organization is not found', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    await chat.channel('theirs', [], { realm: await chat.organization('other') })

    assert.deepEqual(await ben.call(LEAVE, { subscriptions: ['theirs'] }), missing('theirs'))
  })

  const malformed = [
    { name: '', complaint: "Channel name can't be empty." },
    { name: ' \t ', complaint: "Channel name can't be empty." },
    { name: 'a'.repeat(61), complaint: 'Channel name too long (limit: 60 characters).' },
    { name: '😀'.repeat(61), complaint: 'Channel name too long (limit: 60 characters).' },
    { name: 'ab\u0000c', complaint: 'Invalid character in channel name, at position 3.' },
    { name: ' 😀\u0007', complaint: 'Invalid character in channel name, at position 2.' },
    { name: '\ud800', complaint: 'Invalid character in channel name, at position 1.' },
    { name: 'a\ufdd0', complaint: 'Invalid character in channel name, at position 2.' },
    { name: '\u{1ffff}', complaint: 'Invalid character in channel name, at position 1.' },
  ]
  for (const { name, complaint } of malformed) {
    test(`${JSON.stringify(name).slice(0, 20)} is not a valid name: ${complaint}`, async () => {
      const chat = await startChat()
      const ben = await chat.user('ben')

      const response = await ben.call(LEAVE, { subscriptions: ['nope', name] })

      assert.deepEqual(response, { status: 400, result: 'error', msg: complaint, code: 'BAD_REQUEST' })
    })
  }

  test('a name can have 60 code points, regardless of the number of UTF-16 units', async () => {
    const chat: Chat = await startChat()
    const ben = await chat.user('ben')
    const name = '😀'.repeat(60)
    await chat.channel(name, [ben])

    assert.partialDeepStrictEqual(await ben.call(LEAVE, { subscriptions: [name] }), { removed: [name] })
  })
})

suite('parameters', () => {
  const refused = [
    { params: {}, msg: "Missing 'subscriptions' argument", code: 'REQUEST_VARIABLE_MISSING' },
    { params: { subscriptions: 'design' }, msg: 'subscriptions is not valid JSON' },
    { params: { subscriptions: '"design"' }, msg: 'subscriptions is not a list' },
    { params: { subscriptions: ['design', 7] }, msg: 'subscriptions[1] is not a string' },
    { params: { subscriptions: [], principals: 7 }, msg: 'principals["list[str]"] is not a list' },
    { params: { subscriptions: [], principals: ['a', 1] }, msg: 'principals["list[str]"][1] is not a string' },
    { params: { subscriptions: [], principals: [1, 'a'] }, msg: 'principals["list[str]"][0] is not a string' },
    { params: { subscriptions: 'x', principals: 'y' }, msg: 'subscriptions is not valid JSON' },
  ]
  for (const { params, msg, code = 'BAD_REQUEST' } of refused) {
    test(`${JSON.stringify(params)} is refused: ${msg}`, async () => {
      const chat = await startChat()
      const ben = await chat.user('ben')

      assert.partialDeepStrictEqual(await ben.call(LEAVE, params), { status: 400, msg, code })
    })
  }

  test('a JSON body is ignored', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')

    const response = await ben.call(LEAVE, { subscriptions: [] }, { 'content-type': 'application/json' })

    assert.partialDeepStrictEqual(response, {
      status: 400,
      code: 'REQUEST_VARIABLE_MISSING',
      var_name: 'subscriptions',
    })
  })

  test('a POST with `method=DELETE` leaves channels, and reports the field as ignored', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    await chat.channel('design', [ben])

    const response = await ben.call('POST /users/me/subscriptions', { method: 'DELETE', subscriptions: ['design'] })

    assert.partialDeepStrictEqual(response, { removed: ['design'], ignored_parameters_unsupported: ['method'] })
  })
})
