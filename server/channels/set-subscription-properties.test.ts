import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Role } from '#rules/role.ts'
import { refusalResponse } from '../../test/channels.ts'
import { startChat } from '../../test/harness.ts'

const SET = 'POST /users/me/subscriptions/properties'

suite('properties of subscriptions', () => {
  test('can be changed, and only that user receives the events', async () => {
    const chat = await startChat()
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    const design = await chat.channel('design', [ben, cleo])
    const set = (property: string, value: unknown) => ({ stream_id: design.id, property, value })

    const response = await ben.call(SET, {
      subscription_data: [
        set('color', '#ABc'),
        set('in_home_view', false),
        set('pin_to_top', true),
        set('email_notifications', true),
        set('email_notifications', false),
        set('wildcard_mentions_notify', true),
      ],
    })

    assert.deepEqual(response, { status: 200, result: 'success', msg: '' })
    const { subscriptions } = await ben.succeed('GET /users/me/subscriptions')
    assert.partialDeepStrictEqual(subscriptions[0], {
      color: '#aabbcc',
      is_muted: true,
      in_home_view: false,
      pin_to_top: true,
      email_notifications: false,
      wildcard_mentions_notify: true,
      push_notifications: null,
    })
    const update = { type: 'subscription', op: 'update', stream_id: design.id }
    assert.deepEqual((await chat.eventsOf(ben)).slice(0, 4), [
      { ...update, property: 'color', value: '#aabbcc' },
      { ...update, property: 'in_home_view', value: false },
      { ...update, property: 'is_muted', value: true },
      { ...update, property: 'pin_to_top', value: true },
    ])
    assert.deepEqual(await chat.eventsOf(cleo), [])
  })

  test('one refused change prevents all others', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    const [design, left] = [await chat.channel('design', [ben]), await chat.channel('left', [ben])]
    const secret = await chat.channel('secret', [], { isPrivate: true })
    await ben.succeed('DELETE /users/me/subscriptions', { subscriptions: ['left'] })
    const set = (property: string, value: unknown, id = design.id) =>
      ben.call(SET, {
        subscription_data: [
          { stream_id: design.id, property: 'pin_to_top', value: true },
          { stream_id: id, property, value },
        ],
      })

    assert.deepEqual(await set('color', 'red'), refusalResponse('color is not a valid hex color code'))
    assert.deepEqual(await set('color', '#12345'), refusalResponse('color is not a valid hex color code'))
    assert.deepEqual(await set('color', true), refusalResponse('color is not a string'))
    assert.deepEqual(await set('is_muted', 'true'), refusalResponse('is_muted is not a boolean'))
    assert.deepEqual(await set('shape', true), refusalResponse('Unknown subscription property: shape'))
    assert.deepEqual(await set('is_muted', true, left.id), refusalResponse(`Not subscribed to channel ID ${left.id}`))
    assert.deepEqual(await set('is_muted', true, secret.id), refusalResponse('Invalid channel ID'))
    assert.deepEqual(await set('is_muted', true, 999_999), refusalResponse('Invalid channel ID'))
    const { subscriptions } = await ben.succeed('GET /users/me/subscriptions')
    assert.equal(subscriptions[0].pin_to_top, false)
  })
})

suite('reading subscriptions', () => {
  test('the list has the current subscriptions without archived channels, and the subscribers on request', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.owner })
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    const design = await chat.channel('design', [ben, cleo])
    const old = await chat.channel('old', [ben])
    await chat.channel('left', [ben])
    await chat.channel('never', [cleo])
    await ben.succeed('DELETE /users/me/subscriptions', { subscriptions: ['left'] })
    await ada.succeed(`DELETE /streams/${old.id}`)

    const plain = await ben.succeed('GET /users/me/subscriptions')
    const withSubscribers = await ben.succeed('GET /users/me/subscriptions', { include_subscribers: true })

    assert.deepEqual(
      plain['subscriptions'].map((subscription: object) => Object.hasOwn(subscription, 'subscribers')),
      [false],
    )
    assert.partialDeepStrictEqual(withSubscribers['subscriptions'], [
      { stream_id: design.id, name: 'design', subscribers: [ben.id, cleo.id] },
    ])
  })

  test('one property can be changed by the id of the channel', async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    const design = await chat.channel('design', [ben])

    await ben.succeed(`PATCH /users/me/subscriptions/${design.id}`, { property: 'is_muted', value: true })
    const unknown = await ben.call('PATCH /users/me/subscriptions/4711', { property: 'is_muted', value: true })

    const { subscriptions } = await ben.succeed('GET /users/me/subscriptions')
    assert.equal(subscriptions[0].is_muted, true)
    assert.deepEqual(unknown, refusalResponse('Invalid channel ID'))
  })

  test('the subscription status of a user is available to those who may see the user and the channel', async () => {
    const chat = await startChat()
    await chat.change({ can_access_all_users_group: 'role:members' })
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    const gus = await chat.user('gus', { role: Role.guest })
    const design = await chat.channel('design', [ben])
    const secret = await chat.channel('secret', [ben], { isPrivate: true })
    const ask = (person: typeof ben, userId: number, id: number) =>
      person.call(`GET /users/${userId}/subscriptions/${id}`)

    assert.partialDeepStrictEqual(await ask(cleo, ben.id, design.id), { is_subscribed: true })
    assert.partialDeepStrictEqual(await ask(cleo, gus.id, design.id), { is_subscribed: false })
    assert.deepEqual(await ask(cleo, ben.id, secret.id), refusalResponse('Invalid channel ID'))
    assert.deepEqual(await ask(cleo, 999_999, design.id), refusalResponse('No such user'))
    assert.deepEqual(await ask(gus, ben.id, design.id), refusalResponse('No such user'))
  })
})
