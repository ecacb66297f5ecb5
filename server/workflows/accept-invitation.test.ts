import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Role } from '#rules/role.ts'
import { logIn } from '../../test/browser.ts'
import { only } from '../../test/channels.ts'
import { type Person, START, startChat } from '../../test/harness.ts'
import { accept, channelNamesOf, keyOfInvitation, memberOf } from '../../test/joining.ts'
import { acceptInvitation } from './accept-invitation.ts'

type ReceivedMessage = { sender_full_name: string; content: string }

const owner = { role: Role.owner }

suite('accepting an invitation', () => {
  test('creates an account with the role, name and password, in the given channels and groups', async () => {
    const chat = await startChat()
    const mod = await chat.user('mod', { role: Role.moderator })
    const ada = await chat.user('ada', owner)
    const [open, secret] = [
      await chat.channel('open', []),
      await chat.channel('secret', [mod], { isPrivate: true, settings: { can_add_subscribers_group: only(mod) } }),
    ]
    await chat.channel('other', [])
    const { group_id } = await mod.succeed('POST /user_groups/create', { name: 'team', description: '', members: [] })
    const offer = { invite_as: 300, stream_ids: [open.id, secret.id], group_ids: [group_id] }
    const key = await keyOfInvitation(chat, mod, 'New@x.com', offer)

    assert.equal(await accept(chat, key, { name: ' Nelly ', email: 'ignored@x.com' }), 'in')

    const member = await memberOf(ada, 'New@x.com')
    assert.partialDeepStrictEqual(member, { full_name: 'Nelly', role: 300, is_active: true })
    assert.deepEqual(await channelNamesOf(chat, 'New@x.com'), ['open', 'secret'])
    const { members } = await ada.succeed(`GET /user_groups/${group_id}/members`)
    assert.deepEqual(members, [member.user_id])
  })

  test('emits the account, its channels and groups, and the used invitation to inviters and administrators', async () => {
    const chat = await startChat()
    const [ada, ben, cleo] = [await chat.user('ada', owner), await chat.user('ben'), await chat.user('cleo')]
    const design = await chat.channel('design', [])
    const key = await keyOfInvitation(chat, ben, 'new@x.com', { stream_ids: [design.id] })
    const before = (await chat.eventsOf(ada)).length

    await accept(chat, key)

    const { user_id } = await memberOf(ada, 'new@x.com')
    const kinds = async (person: Person) => (await chat.eventsOf(person)).map(({ type, op }) => `${type}/${op ?? ''}`)
    assert.deepEqual((await kinds(ada)).slice(before), [
      'realm_user/add',
      'user_group/add_members',
      'user_group/add_members',
      'subscription/peer_add',
      'invites_changed/',
    ])
    assert.equal((await kinds(ben)).filter((kind) => kind === 'invites_changed/').length, 2)
    assert.equal((await kinds(cleo)).includes('invites_changed/'), false)
    assert.partialDeepStrictEqual((await chat.eventsOf(cleo)).at(-1), { stream_ids: [design.id], user_ids: [user_id] })
  })

  test('is refused if the invitation has expired since the form was checked', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', owner)
    await keyOfInvitation(chat, ada, 'new@x.com', { invite_expires_in_minutes: 1 })
    const { invites } = await ada.succeed('GET /invites')
    await chat.clock.advance(61)

    const accepting = chat.app.services.transaction((tx) =>
      acceptInvitation(tx, chat.realm.id, invites[0].id, { fullName: 'New', email: '', timezone: '' }),
    )

    await assert.rejects(accepting, /This invitation is not valid/)
  })

  test('adds the current default channels to those of the invitation', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', owner)
    const [design, old, now] = [
      await chat.channel('design', []),
      await chat.channel('old', []),
      await chat.channel('now', []),
    ]
    await ada.succeed('POST /default_streams', { stream_id: old.id })
    const offer = { stream_ids: [design.id], include_realm_default_subscriptions: true }
    const [with_, without] = [
      await keyOfInvitation(chat, ada, 'with@x.com', offer),
      await keyOfInvitation(chat, ada, 'without@x.com', { stream_ids: [design.id] }),
    ]
    await ada.succeed('DELETE /default_streams', { stream_id: old.id })
    await ada.succeed('POST /default_streams', { stream_id: now.id })

    await accept(chat, with_)
    await accept(chat, without)

    assert.deepEqual(await channelNamesOf(chat, 'with@x.com'), ['design', 'now'])
    assert.deepEqual(await channelNamesOf(chat, 'without@x.com'), ['design'])
  })

  test('skips channels and groups that are gone or that the inviter may no longer grant', async () => {
    const chat = await startChat()
    const [ada, ben] = [await chat.user('ada', owner), await chat.user('ben')]
    const channels = [
      await chat.channel('stays', []),
      await chat.channel('archived', []),
      await chat.channel('left', [ben], { isPrivate: true }),
    ]
    const groups = []
    for (const name of ['kept', 'ended', 'taken']) {
      const settings = { can_manage_group: only(ada), can_add_members_group: only(ben) }
      const group = { name, description: '', members: [ada.id], ...settings }
      groups.push((await ada.succeed('POST /user_groups/create', group))['group_id'])
    }
    const offer = { stream_ids: channels.map(({ id }) => id), group_ids: groups }
    const key = await keyOfInvitation(chat, ben, 'new@x.com', offer)
    await ada.succeed(`DELETE /streams/${channels[1]?.id}`)
    await ben.succeed('DELETE /users/me/subscriptions', { subscriptions: ['left'] })
    await ada.succeed(`POST /user_groups/${groups[1]}/deactivate`)
    await ada.succeed(`PATCH /user_groups/${groups[2]}`, { can_add_members_group: { new: only(ada) } })

    assert.equal(await accept(chat, key), 'in')

    assert.deepEqual(await channelNamesOf(chat, 'new@x.com'), ['stays'])
    const { user_id } = await memberOf(ada, 'new@x.com')
    const membership = []
    for (const id of groups) {
      const response = await ada.call(`GET /user_groups/${id}/members/${user_id}`, { direct_member_only: true })
      membership.push(response['is_user_group_member'] ?? false)
    }
    assert.deepEqual(membership, [true, false, false])
  })

  test('grants only default channels if the inviter may no longer subscribe others', async () => {
    const chat = await startChat()
    const [ada, ben] = [await chat.user('ada', owner), await chat.user('ben')]
    const [design, usual] = [await chat.channel('design', []), await chat.channel('usual', [])]
    await ada.succeed('POST /default_streams', { stream_id: usual.id })
    const key = await keyOfInvitation(chat, ben, 'new@x.com', { stream_ids: [design.id, usual.id] })
    await chat.change({ can_add_subscribers_group: 'role:administrators' })

    await accept(chat, key)

    assert.deepEqual(await channelNamesOf(chat, 'new@x.com'), ['usual'])
  })
})

suite('messages for new users', () => {
  test('their arrival is announced if the organization has a channel for it', async () => {
    const chat = await startChat()
    const [ada, ben] = [await chat.user('ada', owner), await chat.user('ben')]
    const hall = await chat.channel('hall', [ben])
    await ada.succeed('PATCH /realm', { signup_announcements_stream_id: hall.id })

    await accept(chat, await keyOfInvitation(chat, ada, 'new@x.com'), { name: 'Nelly' })
    await ada.succeed(`DELETE /streams/${hall.id}`)
    await accept(chat, await keyOfInvitation(chat, ada, 'late@x.com'))

    const { user_id } = await memberOf(ada, 'new@x.com')
    const events = (await chat.eventsOf(ben)).flatMap(({ type, message }) =>
      type === 'message' ? [message as ReceivedMessage] : [],
    )
    assert.equal(events[0]?.content, `@_**Nelly|${user_id}** joined this organization.`)
    assert.equal(events.filter(({ content }) => content.includes('joined this organization')).length, 1)
  })

  test('they get recent messages, the newest twenty unread, but none with protected history', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', owner)
    const [open, closed] = [
      await chat.channel('open', [ada]),
      await chat.channel('closed', [ada], { isPrivate: true, isHistoryShared: false }),
    ]
    const said: number[] = []
    for (let number = 0; number < 25; number += 1) {
      const [to, topic] = [number === 24 ? 'closed' : 'open', 't']
      const { id } = await ada.succeed('POST /messages', { type: 'channel', to, topic, content: `${number}` })
      said.push(id)
    }
    const key = await keyOfInvitation(chat, ada, 'new@x.com', { stream_ids: [open.id, closed.id] })

    await accept(chat, key)

    const browser = await logIn(chat, 'new@x.com')
    const { messages } = await browser.call('GET /messages', { anchor: 'oldest', num_before: '0', num_after: '100' })
    const flags = new Map(messages.map(({ id, flags }: { id: number; flags: string[] }) => [id, flags.join()]))
    assert.deepEqual(
      said.map((id) => flags.get(id)),
      [...Array(4).fill('read,historical'), ...Array(20).fill('historical'), undefined],
    )
  })

  test('they get a thousand messages at most, the newest of all channels together', async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', owner)
    const channels = [await chat.channel('one', []), await chat.channel('two', [])]
    await chat.app.services.transaction(async (tx) => {
      for (let number = 1; number <= 1010; number += 1)
        await tx
          .insertInto('messages')
          .values({
            id: number,
            realmId: chat.realm.id,
            senderId: ada.id,
            channelId: channels[number % 2]?.id as number,
            conversationId: null,
            topic: '',
            topicKey: '',
            content: '',
            renderedContent: '',
            renderedVersion: 1,
            client: '',
            sentAt: START,
            editHistory: null,
            lastEditedAt: null,
            lastMovedAt: null,
          })
          .execute()
      await tx.insertInto('counters').values({ name: 'message', value: 1010 }).execute()
    })
    const key = await keyOfInvitation(chat, ada, 'new@x.com', { stream_ids: channels.map(({ id }) => id) })

    await accept(chat, key)

    const { user_id } = await memberOf(ada, 'new@x.com')
    const records = await chat.app.services.db
      .selectFrom('userMessages')
      .select(['messageId'])
      .where('userId', '=', user_id)
      .where('messageId', '<=', 1010)
      .orderBy('messageId')
      .execute()
    assert.deepEqual([records.length, records[0]?.messageId], [1000, 11])
  })

  test('they get a welcome message, and the inviter is notified on request', async () => {
    const chat = await startChat()
    const [ada, ben] = [await chat.user('ada', owner), await chat.user('ben')]
    const received = async (person: Person) =>
      (await chat.eventsOf(person)).flatMap(({ type, message }) =>
        type === 'message' ? [message as ReceivedMessage] : [],
      )

    await accept(chat, await keyOfInvitation(chat, ada, 'new2@x.com'), { name: 'Tom' })
    await accept(chat, await keyOfInvitation(chat, ben, 'untold@x.com', { notify_referrer_on_join: false }))

    const { user_id } = await memberOf(ada, 'new2@x.com')
    const [notice, ...others] = await received(ada)
    assert.equal(notice?.sender_full_name, 'Notification Bot')
    assert.equal(notice?.content, `@_**Tom|${user_id}** accepted your invitation to join Parley!`)
    assert.deepEqual([others, await received(ben)], [[], []])
    const browser = await logIn(chat, 'untold@x.com')
    const { messages } = await browser.call('GET /messages', { anchor: 'newest', num_before: '10', num_after: '0' })
    assert.deepEqual(
      messages.map(({ sender_full_name }: { sender_full_name: string }) => sender_full_name),
      ['Welcome Bot'],
    )
  })
})
