import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Role } from '#rules/role.ts'
import { isSubscribed } from '../../test/channels.ts'
import { onPostgres } from '../../test/database.ts'
import { startChat } from '../../test/harness.ts'

const LEAVE = 'DELETE /users/me/subscriptions'

suite('leaving channels', () => {
  test('a user leaves a channel', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    const design = await chat.channel('design', [ben])

    const response = await ben.call(LEAVE, { subscriptions: ['design'] })

    assert.deepEqual(response, { status: 200, result: 'success', msg: '', removed: ['design'], not_removed: [] })
    assert.equal(await isSubscribed(ben, design), false)
  })

  test('leaving a channel without being subscribed succeeds as well', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    await chat.channel('design', [ben])
    await chat.channel('sales', [])
    await ben.succeed(LEAVE, { subscriptions: ['design'] })

    const response = await ben.call(LEAVE, { subscriptions: ['design', 'sales'] })

    assert.partialDeepStrictEqual(response, { result: 'success', removed: [], not_removed: ['design', 'sales'] })
  })

  test('an empty list of names succeeds', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')

    const response = await ben.call(LEAVE, { subscriptions: [] })

    assert.partialDeepStrictEqual(response, { result: 'success', removed: [], not_removed: [] })
  })

  test('an empty list of principals means the caller', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    await chat.channel('design', [ben])

    const response = await ben.call(LEAVE, { subscriptions: ['design'], principals: [] })

    assert.partialDeepStrictEqual(response, { removed: ['design'] })
  })

  test('names are trimmed and compared without case, and a channel named twice counts once', async () => {
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

  test('a private channel is not archived when its last subscriber leaves', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.owner })
    const ben = await chat.user('ben')
    const secret = await chat.channel('secret', [ben], { isPrivate: true })

    await ben.succeed(LEAVE, { subscriptions: ['secret'] })

    const { stream } = await ada.succeed(`GET /streams/${secret.id}`)
    assert.equal(stream.is_archived, false)
  })

  test('color, pin, mute and notification settings are restored when a user rejoins', async () => {
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

  test('of two identical concurrent requests both succeed, and one removes the subscription', async () => {
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

  test('many users leave many channels in one request', async () => {
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

  test('leaving takes few statements, regardless of the number of users and channels', {
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

    const count = async (leave: () => Promise<unknown>) => {
      const before = chat.app.storage.statements
      await leave()
      return chat.app.storage.statements - before
    }
    const ofOne = await count(() => ada.succeed(LEAVE, { subscriptions: ['zero'], principals: [people[0]?.id] }))
    const ofAll = await count(() => ada.succeed(LEAVE, { subscriptions: names, principals }))

    await ada.succeed('PATCH /users/me/subscriptions', { add: [{ name: 'one' }] })
    const ofOneself = await count(() => ada.succeed(LEAVE, { subscriptions: ['one'] }))

    assert.deepEqual({ ofOneself, ofOne, ofAll }, { ofOneself: 5, ofOne: 6, ofAll: 6 })
  })
})
