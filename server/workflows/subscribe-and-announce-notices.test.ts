import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findUser } from '#people/user-queries.ts'
import type { Actor } from '#people/users.ts'
import { findRealm } from '#realms/queries.ts'
import { BotType, Role } from '#rules/role.ts'
import { type Person, type PersonOptions, startChat } from '../../test/harness.ts'
import { fetchMessage } from '../../test/messages.ts'
import { subscribeAndAnnounce } from './subscribe-and-announce.ts'

/**
 * Starts a chat in which new channels are announced in the channel `hall`. There, Cleo can read which channels Ben
 * creates.
 */
async function startHall({ ben: options }: { ben?: PersonOptions } = {}) {
  const chat = await startChat()
  const [ben, cleo] = [await chat.user('ben', options), await chat.user('cleo')]
  const hall = await chat.channel('hall', [ben, cleo])
  await chat.change({ new_stream_announcements_stream_id: hall.id })
  return { chat, ben, cleo, hall }
}

const make = (person: Person, names: readonly string[], params: Record<string, unknown> = {}) =>
  person.succeed('POST /users/me/subscriptions', {
    subscriptions: names.map((name) => ({ name })),
    announce: true,
    ...params,
  })

type ReceivedMessage = {
  id: number
  sender_full_name: string
  display_recipient: string
  subject: string
  content: string
}

/** Returns all channel messages that the user can read, oldest first. */
async function messagesFor(person: Person): Promise<ReceivedMessage[]> {
  const range = { anchor: 'newest', num_before: 100, num_after: 0, narrow: [['channels', 'public']] }
  return (await person.succeed('GET /messages', { ...range, apply_markdown: false }))['messages']
}

const contentsFor = async (person: Person) => (await messagesFor(person)).map(({ content }) => content)

test('a new channel is announced once, and is unread for all subscribers except its creator', async () => {
  const { chat, ben, cleo } = await startHall()
  const dora = await chat.user('dora')

  const response = await make(ben, ['design'], { principals: [ben.id, dora.id] })

  const said = await messagesFor(cleo)
  assert.deepEqual(response['ignored_parameters_unsupported'], undefined)
  assert.equal(said.length, 1)
  assert.partialDeepStrictEqual(said[0], {
    sender_full_name: 'Notification Bot',
    client: 'Internal',
    display_recipient: 'hall',
    subject: 'new channels',
    content: `@_**Ben|${ben.id}** created a new channel #**design**.`,
  })
  const id = said[0]?.id ?? 0
  assert.deepEqual([(await fetchMessage(cleo, id)).flags, (await fetchMessage(ben, id)).flags], [[], ['read']])
  assert.deepEqual(
    (await chat.eventsOf(cleo)).map(({ type }) => type),
    ['stream', 'subscription', 'message'],
  )
  const { unread_msgs } = await cleo.succeed('POST /register')
  assert.partialDeepStrictEqual(unread_msgs, {
    count: 1,
    streams: [{ topic: 'new channels', unread_message_ids: [id] }],
  })
  assert.ok((await chat.eventsOf(dora)).every(({ type }) => type !== 'message'))
})

test('the public channels created by one request are announced together, private ones are not', async () => {
  const { chat, ben, cleo } = await startHall()
  await chat.channel('sales', [])

  await make(ben, ['design', 'sales', 'Code'])
  await make(ben, ['secret'], { invite_only: true })
  await make(ben, ['sales', 'hall'])
  await make(ben, ['quiet'], { announce: false })

  assert.deepEqual(await contentsFor(cleo), [
    `@_**Ben|${ben.id}** created the following channels: #**design**, #**Code**.`,
  ])
})

test('nothing is announced if the organization has no channel for it, or has archived it', async () => {
  const { chat, ben, cleo, hall } = await startHall()
  const ada = await chat.user('ada', { role: Role.owner })

  await chat.change({ new_stream_announcements_stream_id: -1 })
  await make(ben, ['design'])
  await ada.succeed(`DELETE /streams/${hall.id}`)
  await chat.change({ new_stream_announcements_stream_id: hall.id })
  await make(ben, ['code'])

  const said = (await messagesFor(cleo)).filter(({ subject }) => subject !== 'channel events')
  assert.deepEqual(said, [])
})

test('the creator need not be subscribed to the announcement channel or be allowed to post there', async () => {
  const { chat, cleo, hall } = await startHall()
  const gizmo = await chat.user('gizmo', { botType: BotType.generic, owner: cleo })
  const ada = await chat.user('ada', { role: Role.owner })
  const noOne = { direct_members: [], direct_subgroups: [] }
  await ada.succeed(`PATCH /streams/${hall.id}`, { can_send_message_group: { new: noOne }, is_private: true })

  await make(gizmo, ['design'])

  const last = (await chat.eventsOf(cleo)).at(-1)
  assert.partialDeepStrictEqual(last, {
    type: 'message',
    flags: [],
    message: { subject: 'new channels', content: `@_**Gizmo|${gizmo.id}** created a new channel #**design**.` },
  })
  assert.ok((await chat.eventsOf(gizmo)).every(({ type }) => type !== 'message'))
})

test('names with Markdown are shown literally and notify no one', async () => {
  const { ben, cleo } = await startHall({ ben: { fullName: '~~Ben~~ $$x$$' } })

  await make(ben, ['@**all** `a`', 'a**b'])

  const [said] = await messagesFor(cleo)
  const { content, flags } = await fetchMessage(cleo, said?.id ?? 0)
  assert.equal(
    content,
    `<p><span class="user-mention silent" data-user-id="${ben.id}">~~Ben~~ $$x$$</span> created the following channels: ` +
      '<code> #@**all** `a` </code>, <code>#a**b</code>.</p>',
  )
  assert.deepEqual(flags, [])
})

test('channels of a refused request are not announced', async () => {
  const { chat, ben, cleo } = await startHall()
  await chat.channel('closed', [cleo], { isPrivate: true })
  const { db, transaction } = chat.app.services
  const actor: Actor = { ...(await findUser(db, ben.id))!, realm: (await findRealm(db, chat.realm.id))! }

  const refused = await ben.call('POST /users/me/subscriptions', {
    subscriptions: [{ name: 'design' }, { name: 'closed' }],
    announce: true,
  })
  const failing = transaction(async (tx) => {
    await subscribeAndAnnounce(tx, actor, {
      channelRequests: [{ name: 'design' }],
      newChannels: { privacy: {}, isDefault: false, settings: {} },
      skipsUnauthorized: false,
      announces: true,
    })
    assert.equal((await tx.db.selectFrom('messages').select('id').execute()).length, 1)
    throw new Error('The disk is full')
  })

  await assert.rejects(failing, /The disk is full/)
  assert.equal(refused.msg, 'Unable to access channel (closed).')
  assert.deepEqual(await contentsFor(cleo), [])
  assert.deepEqual(await chat.eventsOf(cleo), [])
})
