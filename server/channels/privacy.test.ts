import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Role } from '#rules/role.ts'
import { channelEventsOf, only, refusalResponse, systemGroupId } from '../../test/channels.ts'
import { type Person, startChat } from '../../test/harness.ts'

async function seen(person: Person, id: number): Promise<Record<string, unknown>> {
  return (await person.succeed(`GET /streams/${id}`))['stream']
}

suite('privacy', () => {
  test('when a public channel becomes private, it is deleted for users who are not subscribed', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.owner })
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    const design = await chat.channel('design', [ben])

    await ada.succeed(`PATCH /streams/${design.id}`, { is_private: true, history_public_to_subscribers: false })

    const update = {
      type: 'stream',
      op: 'update',
      property: 'invite_only',
      value: true,
      history_public_to_subscribers: false,
      is_web_public: false,
      stream_id: design.id,
      name: 'design',
    }
    assert.deepEqual(await channelEventsOf(chat, ada), [update])
    assert.deepEqual(await channelEventsOf(chat, ben), [update])
    assert.deepEqual(await channelEventsOf(chat, cleo), [
      { type: 'stream', op: 'delete', streams: [{ stream_id: design.id }], stream_ids: [design.id] },
    ])
    assert.deepEqual(await cleo.call(`GET /streams/${design.id}`), refusalResponse('Invalid channel ID'))
  })

  test('when a private channel becomes public, all other users receive the channel and its subscribers', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.owner })
    const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
    const secret = await chat.channel('secret', [ada, ben], { isPrivate: true, isHistoryShared: false })

    await ada.succeed(`PATCH /streams/${secret.id}`, { is_private: false })

    const [created, peers, ...rest] = await channelEventsOf(chat, cleo)
    // The channel's first message, a notice, is sent later.
    const found = { ...(await seen(cleo, secret.id)), first_message_id: null }
    assert.deepEqual(created, { type: 'stream', op: 'create', streams: [found] })
    assert.deepEqual(peers, {
      type: 'subscription',
      op: 'peer_add',
      stream_ids: [secret.id],
      user_ids: [ada.id, ben.id],
    })
    assert.deepEqual(rest, [])
    assert.partialDeepStrictEqual(await channelEventsOf(chat, ben), [
      { op: 'update', property: 'invite_only', value: false, history_public_to_subscribers: true },
    ])
  })

  test('a request that makes a channel private without mentioning its history protects the history', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.owner })
    const design = await chat.channel('design', [])
    const shared = await chat.channel('shared', [ada], { isPrivate: true, isHistoryShared: true })

    await ada.succeed(`PATCH /streams/${design.id}`, { is_private: true })
    await ada.succeed(`PATCH /streams/${shared.id}`, { is_private: true })

    for (const { id } of [design, shared]) {
      assert.partialDeepStrictEqual(await seen(ada, id), { invite_only: true, history_public_to_subscribers: false })
    }
  })

  test('a new subscriber cannot read messages sent before a channel became private', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.owner })
    const ben = await chat.user('ben')
    const design = await chat.channel('design', [ada])
    const early = await ada.succeed('POST /messages', { type: 'channel', to: design.id, topic: 't', content: 'early' })

    await ada.succeed(`PATCH /streams/${design.id}`, { is_private: true })
    await ada.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: 'design' }], principals: [ben.id] })

    assert.deepEqual(await ben.call(`GET /messages/${early['id']}`), refusalResponse('Invalid message(s)'))
  })

  test('a private channel keeps its shared history when a request changes something else', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.owner })
    const shared = await chat.channel('shared', [ada], { isPrivate: true, isHistoryShared: true })

    await ada.succeed(`PATCH /streams/${shared.id}`, { description: 'new', is_web_public: false })
    assert.partialDeepStrictEqual(await seen(ada, shared.id), { history_public_to_subscribers: true })

    await ada.succeed(`PATCH /streams/${shared.id}`, { is_private: true, history_public_to_subscribers: true })
    assert.partialDeepStrictEqual(await seen(ada, shared.id), { history_public_to_subscribers: true })
  })

  test('users who cannot read a private channel cannot open it to others', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.owner })
    const secret = await chat.channel('secret', [], { isPrivate: true })
    const members = await systemGroupId(chat, 'role:members')
    const change = (changes: Record<string, unknown>) => ada.call(`PATCH /streams/${secret.id}`, changes)

    assert.deepEqual(await change({ is_private: false }), refusalResponse('Channel content access is required.'))
    assert.deepEqual(
      await change({ can_subscribe_group: { new: members } }),
      refusalResponse('Channel content access is required.'),
    )
    assert.deepEqual(
      await change({ can_add_subscribers_group: { new: members } }),
      refusalResponse('Channel content access is required.'),
    )
    assert.equal((await change({ can_remove_subscribers_group: { new: members } })).result, 'success')
  })

  test('an inconsistent or forbidden change is refused, and nothing changes', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.owner })
    const mo = await chat.user('mo', { role: Role.moderator })
    const settings = { can_administer_channel_group: only(mo) }
    const design = await chat.channel('design', [mo], { settings })
    const change = (person: Person, changes: Record<string, unknown>) =>
      person.call(`PATCH /streams/${design.id}`, { description: 'changed', ...changes })

    assert.deepEqual(
      await change(ada, { is_private: true, is_web_public: true }),
      refusalResponse('Invalid parameters'),
    )
    assert.deepEqual(await change(ada, { history_public_to_subscribers: false }), refusalResponse('Invalid parameters'))
    assert.deepEqual(
      await change(ada, { is_web_public: true }),
      refusalResponse('Web-public channels are not enabled.'),
    )
    assert.deepEqual(
      await change(mo, { is_default_stream: true }),
      refusalResponse('Must be an organization administrator', 'UNAUTHORIZED_PRINCIPAL'),
    )
    assert.deepEqual(
      await change(mo, { message_retention_days: 7 }),
      refusalResponse('Must be an organization owner', 'UNAUTHORIZED_PRINCIPAL'),
    )
    await chat.change({ can_create_private_channel_group: 'role:nobody', moderation_request_channel_id: design.id })
    assert.deepEqual(await change(ada, { is_private: true }), refusalResponse('Insufficient permission'))
    assert.deepEqual(
      await change(ada, { is_private: false }),
      refusalResponse('A moderation request channel cannot be public.'),
    )
    assert.partialDeepStrictEqual(await seen(ada, design.id), { description: '', invite_only: false })
    assert.deepEqual(await channelEventsOf(chat, ada), [])
  })

  test('a default channel can become private only if it stops being a default channel', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.owner })
    const design = await chat.channel('design', [])
    await ada.succeed('POST /default_streams', { stream_id: design.id })
    const change = (changes: Record<string, unknown>) => ada.call(`PATCH /streams/${design.id}`, changes)

    assert.deepEqual(await change({ is_private: true }), refusalResponse('A default channel cannot be private.'))
    assert.equal((await change({ is_private: true, is_default_stream: false })).result, 'success')
    assert.deepEqual(
      await change({ is_default_stream: true }),
      refusalResponse('Private channels cannot be made default.'),
    )
  })
})
