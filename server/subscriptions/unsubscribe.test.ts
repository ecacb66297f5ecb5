import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { countStatements } from '../../test/count-statements.ts'
import { onPostgres } from '../../test/database.ts'
import { type Chat, type Person, startChat } from '../../test/harness.ts'
import type { Channel } from '../channels/channel.ts'
import { Role } from '../users/role.ts'

const LEAVE = 'DELETE /users/me/subscriptions'

const missing = (name: string) => ({
  status: 400,
  result: 'error',
  msg: `Channel '${name}' does not exist`,
  stream: name,
  code: 'STREAM_DOES_NOT_EXIST',
})

async function isSubscribed(person: Person, channel: Channel): Promise<boolean> {
  const answer = await person.succeed(`GET /users/${person.id}/subscriptions/${channel.id}`)
  return answer['is_subscribed']
}

suite('leaving channels', () => {
  test('somebody leaves a channel', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    const design = await chat.channel('design', [ben])

    const response = await ben.call(LEAVE, { subscriptions: ['design'] })

    assert.deepEqual(response, { status: 200, result: 'success', msg: '', removed: ['design'], not_removed: [] })
    assert.equal(await isSubscribed(ben, design), false)
  })

  test('who is not in a channel, or not any longer, succeeds as well', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    await chat.channel('design', [ben])
    await chat.channel('sales', [])
    await ben.succeed(LEAVE, { subscriptions: ['design'] })

    const response = await ben.call(LEAVE, { subscriptions: ['design', 'sales'] })

    assert.partialDeepStrictEqual(response, { result: 'success', removed: [], not_removed: ['design', 'sales'] })
  })

  test('no names are an empty success', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')

    const response = await ben.call(LEAVE, { subscriptions: [] })

    assert.partialDeepStrictEqual(response, { result: 'success', removed: [], not_removed: [] })
  })

  test('empty principals mean the caller', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    await chat.channel('design', [ben])

    const response = await ben.call(LEAVE, { subscriptions: ['design'], principals: [] })

    assert.partialDeepStrictEqual(response, { removed: ['design'] })
  })

  test('names are trimmed and compared whatever their case; a channel named twice counts once', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    await chat.channel('Hümbüg ☂ 😀', [ben])

    const response = await ben.call(LEAVE, { subscriptions: ['  hÜMBÜG ☂ 😀\n', 'Hümbüg ☂ 😀'] })

    assert.partialDeepStrictEqual(response, { removed: ['Hümbüg ☂ 😀'], not_removed: [] })
  })

  test('a guest leaves a public channel', async () => {
    const chat = await startChat()
    const gus = await chat.user('gus', { role: Role.guest })
    await chat.channel('design', [gus])

    assert.partialDeepStrictEqual(await gus.call(LEAVE, { subscriptions: ['design'] }), { removed: ['design'] })
  })

  test('an archived channel can be left', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.owner })
    const ben = await chat.user('ben')
    const old = await chat.channel('old', [ben])
    await ada.succeed(`DELETE /streams/${old.id}`)

    assert.partialDeepStrictEqual(await ben.call(LEAVE, { subscriptions: ['old'] }), { removed: ['old'] })
    assert.equal(await isSubscribed(ben, old), false)
  })

  test('the last one to leave a private channel does not archive it', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.owner })
    const ben = await chat.user('ben')
    const secret = await chat.channel('secret', [ben], { isPrivate: true })

    await ben.succeed(LEAVE, { subscriptions: ['secret'] })

    const { stream } = await ada.succeed(`GET /streams/${secret.id}`)
    assert.equal(stream.is_archived, false)
  })

  test('colour, pin, mute and notifications are as they were when somebody comes back', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    const design = await chat.channel('design', [ben])
    const set = (property: string, value: unknown) => ({ stream_id: design.id, property, value })
    await ben.succeed('POST /users/me/subscriptions/properties', {
      subscription_data: [
        set('color', '#123456'),
        set('pin_to_top', true),
        set('is_muted', true),
        set('push_notifications', false),
      ],
    })
    await ben.succeed(LEAVE, { subscriptions: ['design'] })

    await ben.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: 'design', color: '#ffffff' }] })

    const { subscriptions } = await ben.succeed('GET /users/me/subscriptions')
    assert.partialDeepStrictEqual(subscriptions[0], {
      color: '#123456',
      pin_to_top: true,
      is_muted: true,
      in_home_view: false,
      push_notifications: false,
      desktop_notifications: null,
    })
  })

  test('of two identical requests at once both succeed, and one of them removes', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    const design = await chat.channel('design', [ben])

    const responses = await Promise.all([1, 2].map(() => ben.call(LEAVE, { subscriptions: ['design'] })))

    assert.deepEqual(
      responses.map((response) => response.status),
      [200, 200],
    )
    assert.equal(responses.flatMap((response) => response['removed']).length, 1)
    assert.equal(responses.flatMap((response) => response['not_removed']).length, 1)
    assert.equal(await isSubscribed(ben, design), false)
  })

  test('many people leave many channels in one request', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.administrator })
    const people = await Promise.all(Array.from({ length: 30 }, (_, i) => chat.user(`user${i}`)))
    const names = Array.from({ length: 12 }, (_, i) => `channel ${i}`)
    for (const name of names) await chat.channel(name, people, { isPrivate: name.endsWith('3') })
    const principals = people.map((person) => person.id)

    const response = await ada.succeed(LEAVE, { subscriptions: names, principals })

    assert.equal(response['removed'].length, 30 * 12)
    assert.deepEqual(response['not_removed'], [])
  })

  test('leaving a public channel takes few statements, and more people and channels take no more', {
    skip: onPostgres && 'statements are counted on SQLite',
  }, async () => {
    const chat = await startChat()
    await chat.change({ send_channel_removal_notices: false })
    const ada = await chat.user('ada', { role: Role.administrator })
    const people = await Promise.all(Array.from({ length: 20 }, (_, i) => chat.user(`user${i}`)))
    const names = ['one', 'two', 'three', 'four', 'five']
    for (const name of [...names, 'zero']) await chat.channel(name, [ada, ...people])
    await ada.succeed(LEAVE, { subscriptions: [...names, 'zero'], principals: [ada.id] })
    const principals = people.map((person) => person.id)

    const ofOne = await countStatements(() =>
      ada.succeed(LEAVE, { subscriptions: ['zero'], principals: [people[0]?.id] }),
    )
    const ofAll = await countStatements(() => ada.succeed(LEAVE, { subscriptions: names, principals }))

    await ada.succeed('PATCH /users/me/subscriptions', { add: [{ name: 'one' }] })
    const ofOneself = await countStatements(() => ada.succeed(LEAVE, { subscriptions: ['one'] }))

    assert.deepEqual({ ofOneself, ofOne, ofAll }, { ofOneself: 4, ofOne: 5, ofAll: 5 })
  })
})

suite('names that mean no channel', () => {
  test('the first unknown name is refused, and nothing is left', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    const design = await chat.channel('design', [ben])

    const response = await ben.call(LEAVE, { subscriptions: ['design', ' Nope ', 'nada'] })

    assert.deepEqual(response, missing('Nope'))
    assert.equal(await isSubscribed(ben, design), true)
    assert.deepEqual(await chat.toldTo(ben), [])
  })

  test('a guest is answered like everybody', async () => {
    const chat = await startChat()
    const gus = await chat.user('gus', { role: Role.guest })

    assert.deepEqual(await gus.call(LEAVE, { subscriptions: ['nope'] }), missing('nope'))
  })

  test('a private channel that one cannot see is answered like none', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    const cleo = await chat.user('cleo')
    await chat.channel('secret', [cleo], { isPrivate: true })

    assert.deepEqual(await ben.call(LEAVE, { subscriptions: ['Secret'] }), missing('Secret'))
  })

  test('a private channel that one has left is found, so that a retry succeeds', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    await chat.channel('secret', [ben], { isPrivate: true })
    await ben.succeed(LEAVE, { subscriptions: ['secret'] })

    const response = await ben.call(LEAVE, { subscriptions: ['secret'] })

    assert.partialDeepStrictEqual(response, { result: 'success', removed: [], not_removed: ['secret'] })
  })

  test('a private channel is found by whom its settings let join or administer it', async () => {
    const chat = await startChat()
    const [ben, cleo, dan] = [await chat.user('ben'), await chat.user('cleo'), await chat.user('dan')]
    const only = ({ id }: Person) => ({ direct_members: [id], direct_subgroups: [] })
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

  test('to a guest a public channel that they never were in is none, a web-public one is there', async () => {
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
    const gusAlone = { direct_members: [gus.id], direct_subgroups: [] }
    const settings = { can_subscribe_group: gusAlone, can_administer_channel_group: gusAlone }
    await chat.channel('secret', [], { isPrivate: true, settings })

    assert.deepEqual(await gus.call(LEAVE, { subscriptions: ['secret'] }), missing('secret'))
  })

  test('a channel of another organization is none', async () => {
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
    test(`${JSON.stringify(name).slice(0, 20)} is no name: ${complaint}`, async () => {
      const chat = await startChat()
      const ben = await chat.user('ben')

      const response = await ben.call(LEAVE, { subscriptions: ['nope', name] })

      assert.deepEqual(response, { status: 400, result: 'error', msg: complaint, code: 'BAD_REQUEST' })
    })
  }

  test('60 code points are a name, however many units they take', async () => {
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

  test('a JSON body is not read', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')

    const response = await ben.call(LEAVE, { subscriptions: [] }, { 'content-type': 'application/json' })

    assert.partialDeepStrictEqual(response, {
      status: 400,
      code: 'REQUEST_VARIABLE_MISSING',
      var_name: 'subscriptions',
    })
  })

  test('a POST whose field `method` says DELETE leaves, and tells that it does not know the field', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    await chat.channel('design', [ben])

    const response = await ben.call('POST /users/me/subscriptions', { method: 'DELETE', subscriptions: ['design'] })

    assert.partialDeepStrictEqual(response, { removed: ['design'], ignored_parameters_unsupported: ['method'] })
  })
})
