import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { findRealmGroups } from '#groups/queries.ts'
import { Role } from '#rules/role.ts'
import { channelEventsOf, only, refusalResponse } from '../../test/channels.ts'
import { type Person, startChat } from '../../test/harness.ts'

async function seen(person: Person, id: number): Promise<Record<string, unknown>> {
  return (await person.succeed(`GET /streams/${id}`))['stream']
}

suite('changing a channel', () => {
  test('administrators can change a channel, including private ones that they are not in, and so can users named in its settings', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.administrator })
    const ben = await chat.user('ben')
    const settings = { can_administer_channel_group: only(ben) }
    const secret = await chat.channel('secret', [], { isPrivate: true, settings })

    await ada.succeed(`PATCH /streams/${secret.id}`, { description: 'by ada' })
    await ben.succeed(`PATCH /streams/${secret.id}`, { new_name: 'by ben' })

    assert.partialDeepStrictEqual(await seen(ada, secret.id), { name: 'by ben', description: 'by ada' })
  })

  test('no one else can change a channel, and a hidden channel is refused like a missing one', async () => {
    const chat = await startChat()
    const mo = await chat.user('mo', { role: Role.moderator })
    const gus = await chat.user('gus', { role: Role.guest })
    const design = await chat.channel('design', [mo, gus], { settings: { can_administer_channel_group: only(gus) } })
    const secret = await chat.channel('secret', [gus], { isPrivate: true })
    const change = (person: Person, id: number) => person.call(`PATCH /streams/${id}`, { description: 'x' })

    const denied = refusalResponse('You do not have permission to administer this channel.')
    assert.deepEqual(await change(mo, design.id), denied)
    assert.deepEqual(await change(gus, design.id), denied)
    assert.deepEqual(await change(mo, secret.id), refusalResponse('Invalid channel ID'))
    assert.deepEqual(await change(mo, 999_999), refusalResponse('Invalid channel ID'))
  })
})

suite('name and description', () => {
  test('a new name and description are emitted to the users who may see the channel', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.owner })
    const ben = await chat.user('ben')
    const gus = await chat.user('gus', { role: Role.guest })
    const design = await chat.channel('design', [])

    await ada.succeed(`PATCH /streams/${design.id}`, { new_name: '  Drawing ', description: 'All\nof *it*' })

    assert.partialDeepStrictEqual(await seen(ben, design.id), {
      name: 'Drawing',
      description: 'All of *it*',
      rendered_description: '<p>All of <em>it</em></p>',
    })
    const update = { type: 'stream', op: 'update', stream_id: design.id }
    assert.deepEqual(await channelEventsOf(chat, ben), [
      { ...update, property: 'name', value: 'Drawing', name: 'design' },
      {
        ...update,
        property: 'description',
        value: 'All of *it*',
        rendered_description: '<p>All of <em>it</em></p>',
        name: 'Drawing',
      },
    ])
    assert.deepEqual(await channelEventsOf(chat, gus), [])
  })

  test('a change of case is a change; the same name, a taken name and an empty name are refused', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.owner })
    const design = await chat.channel('design', [])
    await chat.channel('Sales', [])
    const rename = (name: string) => ada.call(`PATCH /streams/${design.id}`, { new_name: name })

    assert.deepEqual(await rename('design '), refusalResponse('Channel already has that name.'))
    assert.deepEqual(await rename('SALES'), refusalResponse('Channel name is already in use.'))
    assert.deepEqual(await rename(' '), refusalResponse("Channel name can't be empty."))
    assert.equal((await rename('Design')).result, 'success')
    assert.equal((await seen(ada, design.id))['name'], 'Design')
  })

  test('if two channels take the same name at once, one of them gets it', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.owner })
    const channels = [await chat.channel('one', []), await chat.channel('two', [])]

    const responses = await Promise.all(
      channels.map(({ id }) => ada.call(`PATCH /streams/${id}`, { new_name: 'same' })),
    )

    assert.deepEqual(responses.map((response) => response.status).sort(), [200, 400])
  })

  test('the old name can be used again', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.owner })
    const design = await chat.channel('design', [ada])
    await ada.succeed('GET /get_stream_id', { stream: 'design' })
    await ada.succeed(`PATCH /streams/${design.id}`, { new_name: 'drawing' })

    assert.equal((await ada.call('GET /get_stream_id', { stream: 'design' })).result, 'error')
    assert.equal((await ada.succeed('GET /get_stream_id', { stream: 'DRAWING' }))['stream_id'], design.id)
    assert.partialDeepStrictEqual(await ada.call('DELETE /users/me/subscriptions', { subscriptions: ['design'] }), {
      code: 'STREAM_DOES_NOT_EXIST',
    })
  })
})

suite('permissions', () => {
  test('a changed setting is emitted in the format of clients, together with the older fields that depend on it', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.owner })
    const design = await chat.channel('design', [])
    const { systemId: ids } = await findRealmGroups(chat.app.services.db, chat.realm.id)
    const moderators = ids['role:moderators']

    await ada.succeed(`PATCH /streams/${design.id}`, {
      can_send_message_group: { new: moderators, old: ids['role:everyone'] },
      can_subscribe_group: { new: { direct_members: [ada.id], direct_subgroups: [moderators] } },
      can_add_subscribers_group: { new: ids['role:nobody'] },
    })

    const update = { type: 'stream', op: 'update', stream_id: design.id, name: 'design' }
    const both = { direct_members: [ada.id], direct_subgroups: [moderators] }
    assert.deepEqual(await channelEventsOf(chat, ada), [
      { ...update, property: 'can_send_message_group', value: moderators },
      { ...update, property: 'can_subscribe_group', value: both },
      { ...update, property: 'stream_post_policy', value: 4 },
      { ...update, property: 'is_announcement_only', value: false },
    ])
    assert.partialDeepStrictEqual(await seen(ada, design.id), {
      can_send_message_group: moderators,
      can_subscribe_group: both,
      stream_post_policy: 4,
    })
  })

  test('a change that expects a different current value is refused', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.owner })
    const ben = await chat.user('ben')
    const design = await chat.channel('design', [], { settings: { can_subscribe_group: only(ada, ben) } })
    const { systemId: ids } = await findRealmGroups(chat.app.services.db, chat.realm.id)
    const change = (old: unknown) =>
      ada.call(`PATCH /streams/${design.id}`, { can_subscribe_group: { new: ids['role:nobody'], old } })

    assert.deepEqual(
      await change(ids['role:everyone']),
      refusalResponse("'old' value does not match the expected value.", 'EXPECTATION_MISMATCH'),
    )
    assert.equal((await change({ direct_members: [ben.id, ada.id], direct_subgroups: [] })).result, 'success')
  })

  test('users whom a private channel now lets join can see it, and users whom it no longer lets join lose it', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.owner })
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    const settings = { can_subscribe_group: only(ben) }
    const secret = await chat.channel('secret', [ada], { isPrivate: true, settings })

    await ada.succeed(`PATCH /streams/${secret.id}`, { can_subscribe_group: { new: only(cleo) } })

    const kinds = async (person: Person) => (await channelEventsOf(chat, person)).map((event) => event['op'])
    assert.deepEqual(await kinds(ben), ['delete'])
    assert.deepEqual(await kinds(cleo), ['create', 'peer_add'])
    assert.deepEqual(await kinds(ada), ['update'])
  })

  test('only owners can change the retention of a channel', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.owner })
    const design = await chat.channel('design', [])
    const keep = async (value: unknown) => {
      await ada.succeed(`PATCH /streams/${design.id}`, { message_retention_days: value })
      return (await seen(ada, design.id))['message_retention_days']
    }

    assert.equal(await keep(30), 30)
    assert.equal(await keep('"unlimited"'), -1)
    assert.equal(await keep('"realm_default"'), null)
    assert.partialDeepStrictEqual((await channelEventsOf(chat, ada))[0], {
      property: 'message_retention_days',
      value: 30,
    })
  })
})
