import assert from 'node:assert/strict'
import test from 'node:test'
import { api } from '../server/api.ts'
import { saveRealmEmoji } from '../server/realms/emoji-queries.ts'
import { saveLinkifier } from '../server/realms/linkifier-queries.ts'
import { Role } from '../server/users/role.ts'
import { AddressVisibility } from '../server/users/settings.ts'
import { type Chat, type Person, startChat } from './harness.ts'
import { say } from './talk.ts'

/** What an id in a request is the id of. */
type Kind = 'user' | 'bot' | 'channel' | 'group' | 'message' | 'invitation' | 'linkifier' | 'draft' | 'snippet'

type Probe = [kind: Kind, route: string, params?: (id: number) => Record<string, unknown>]

const permission = (name: string) => (id: number) => ({
  [name]: { new: { direct_members: [], direct_subgroups: [id] } },
})
const permissionOfUser = (name: string) => (id: number) => ({
  [name]: { new: { direct_members: [id], direct_subgroups: [] } },
})
const narrow = (operator: string) => (id: number) => ({
  anchor: 'newest',
  num_before: 5,
  num_after: 0,
  narrow: [{ operator, operand: id }],
})

/** Every way in which a request names something by an id; `{}` in a path is the id itself. */
const probes: Probe[] = [
  ['channel', 'GET /streams/{}'],
  ['channel', 'PATCH /streams/{}', () => ({ description: 'mine' })],
  ['channel', 'DELETE /streams/{}'],
  ['channel', 'GET /streams/{}/members'],
  ['channel', 'GET /users/me/{}/topics'],
  ['channel', 'POST /default_streams', (id) => ({ stream_id: id })],
  ['channel', 'DELETE /default_streams', (id) => ({ stream_id: id })],
  ['channel', 'POST /messages', (id) => ({ type: 'channel', to: id, topic: 'tea', content: 'hi' })],
  ['channel', 'PATCH /messages/{own}', (id) => ({ stream_id: id })],
  ['channel', 'POST /mark_stream_as_read', (id) => ({ stream_id: id })],
  ['channel', 'POST /mark_topic_as_read', (id) => ({ stream_id: id, topic_name: 'tea' })],
  ['channel', 'GET /messages', narrow('channel')],
  ['channel', 'POST /messages/flags/narrow', (id) => ({ ...narrow('channel')(id), op: 'add', flag: 'starred' })],
  ['channel', 'GET /users/{own}/subscriptions/{}'],
  [
    'channel',
    'POST /users/me/subscriptions/properties',
    (id) => ({ subscription_data: [{ stream_id: id, property: 'is_muted', value: true }] }),
  ],
  ['channel', 'POST /typing', (id) => ({ type: 'channel', op: 'start', stream_id: id, topic: 'tea' })],
  ['channel', 'POST /user_topics', (id) => ({ stream_id: id, topic: 'tea', visibility_policy: 1 })],
  ['channel', 'POST /user_topics', (id) => ({ stream_id: id, topic: 'tea', visibility_policy: 0 })],
  ['channel', 'PATCH /users/me/subscriptions/muted_topics', (id) => ({ stream_id: id, topic: 'tea', op: 'add' })],
  ['channel', 'PATCH /users/me/subscriptions/muted_topics', (id) => ({ stream_id: id, topic: 'tea', op: 'remove' })],
  ['channel', 'POST /invites', (id) => ({ invitee_emails: 'new@x.com', stream_ids: [id] })],
  ['channel', 'PATCH /realm', (id) => ({ new_stream_announcements_stream_id: id })],

  ['user', 'GET /users/{}'],
  ['user', 'PATCH /users/{}', () => ({ full_name: 'Mine' })],
  ['user', 'DELETE /users/{}'],
  ['user', 'POST /users/{}/reactivate'],
  ['user', 'GET /users/{}/presence'],
  ['user', 'GET /users/{}/status'],
  ['user', 'GET /users/{}/subscriptions/{ownChannel}'],
  ['user', 'POST /users/me/muted_users/{}'],
  ['user', 'DELETE /users/me/muted_users/{}'],
  ['user', 'GET /user_groups/{ownGroup}/members/{}'],
  ['user', 'POST /user_groups/{ownGroup}/members', (id) => ({ add: [id] })],
  ['user', 'POST /user_groups/create', (id) => ({ name: 'x', description: '', members: [id] })],
  ['user', 'PATCH /user_groups/{ownGroup}', permissionOfUser('can_manage_group')],
  ['user', 'PATCH /streams/{ownChannel}', permissionOfUser('can_subscribe_group')],
  ['user', 'PATCH /realm', permissionOfUser('can_invite_users_group')],
  ['user', 'POST /users/me/subscriptions', (id) => ({ subscriptions: [{ name: 'x' }], principals: [id] })],
  ['user', 'DELETE /users/me/subscriptions', (id) => ({ subscriptions: ['design'], principals: [id] })],
  ['user', 'POST /messages', (id) => ({ type: 'direct', to: [id], content: 'hi' })],
  ['user', 'POST /messages/render', (id) => ({ content: `@_**Eve|${id}** @**|${id}**` })],
  ['user', 'POST /typing', (id) => ({ op: 'start', to: [id] })],
  ['user', 'GET /messages', narrow('sender')],
  ['user', 'GET /messages', narrow('dm-including')],
  ['user', 'GET /messages', (id) => narrow('dm')(id)],
  ['user', 'PATCH /bots/{ownBot}', (id) => ({ bot_owner_id: id })],
  ['bot', 'PATCH /bots/{}', () => ({ full_name: 'Mine' })],
  ['bot', 'DELETE /bots/{}'],
  ['bot', 'POST /bots/{}/api_key/regenerate'],
  ['bot', 'POST /users/{}/reactivate'],

  ['group', 'PATCH /user_groups/{}', () => ({ name: 'mine' })],
  ['group', 'POST /user_groups/{}/deactivate'],
  ['group', 'GET /user_groups/{}/members'],
  ['group', 'GET /user_groups/{}/members/{own}'],
  ['group', 'GET /user_groups/{}/subgroups'],
  ['group', 'POST /user_groups/{}/members', () => ({ add: [1] })],
  ['group', 'POST /user_groups/{}/subgroups', () => ({ add: [1] })],
  ['group', 'POST /user_groups/{ownGroup}/subgroups', (id) => ({ add: [id] })],
  ['group', 'POST /user_groups/{ownGroup}/members', (id) => ({ add_subgroups: [id] })],
  ['group', 'POST /user_groups/create', (id) => ({ name: 'x', description: '', members: [], subgroups: [id] })],
  ['group', 'PATCH /user_groups/{ownGroup}', permission('can_manage_group')],
  ['group', 'PATCH /streams/{ownChannel}', permission('can_subscribe_group')],
  ['group', 'PATCH /realm', permission('can_invite_users_group')],
  ['group', 'POST /users/me/subscriptions', (id) => ({ subscriptions: [{ name: 'x' }], can_subscribe_group: id })],
  ['group', 'POST /invites', (id) => ({ invitee_emails: 'new@x.com', stream_ids: [], group_ids: [id] })],

  ['message', 'GET /messages/{}'],
  ['message', 'PATCH /messages/{}', () => ({ content: 'mine' })],
  ['message', 'PATCH /messages/{}', () => ({ topic: 'mine' })],
  ['message', 'DELETE /messages/{}'],
  ['message', 'GET /messages/{}/history'],
  ['message', 'GET /messages/{}/read_receipts'],
  ['message', 'POST /messages/{}/reactions', () => ({ emoji_name: 'smile' })],
  ['message', 'DELETE /messages/{}/reactions', () => ({ emoji_name: 'smile' })],
  ['message', 'POST /messages/{}/typing', () => ({ op: 'start' })],
  ['message', 'POST /submessage', (id) => ({ message_id: id, msg_type: 'widget', content: '1' })],
  ...['read', 'starred', 'collapsed'].flatMap((flag) =>
    ['add', 'remove'].map((op): Probe => ['message', 'POST /messages/flags', (id) => ({ messages: [id], op, flag })]),
  ),
  ['message', 'GET /messages', (id) => ({ message_ids: [id] })],
  ['message', 'GET /messages', narrow('id')],
  ['message', 'GET /messages', narrow('with')],
  ['message', 'GET /messages', (id) => ({ anchor: id, num_before: 0, num_after: 0, narrow: [] })],
  ['message', 'GET /messages/matches_narrow', (id) => ({ msg_ids: [id], narrow: [] })],
  [
    'message',
    'POST /messages/flags/narrow',
    (id) => ({ anchor: id, num_before: 0, num_after: 0, narrow: [], op: 'add', flag: 'starred' }),
  ],

  ['invitation', 'DELETE /invites/{}'],
  ['invitation', 'POST /invites/{}/resend'],
  ['linkifier', 'PATCH /realm/filters/{}', () => ({ pattern: 'a', url_template: 'https://x.com' })],
  ['linkifier', 'DELETE /realm/filters/{}'],
  ['linkifier', 'PATCH /realm/linkifiers', (id) => ({ ordered_linkifier_ids: [id] })],
  ['draft', 'PATCH /drafts/{}', () => ({ draft: { type: '', to: [], topic: '', content: 'mine' } })],
  ['draft', 'DELETE /drafts/{}'],
  ['snippet', 'PATCH /saved_snippets/{}', () => ({ title: 'mine' })],
  ['snippet', 'DELETE /saved_snippets/{}'],
]

/** Names of parameters that look like an id of something above and are none. */
const otherIds = new Set(['queue_id', 'local_id', 'last_event_id', 'last_update_id'])

const NEVER = 9_999_999

/** Something of every kind that belongs to `person`, and a message in a channel of theirs. */
async function possessions(chat: Chat, person: Person, name: string): Promise<Record<Kind, number>> {
  const channel = await chat.channel(name, [person], { realm: person.realm })
  const bot = await chat.user(`${name}-robot`, { realm: person.realm, botType: 1, owner: person })
  await person.succeed('POST /users/me/subscriptions', { subscriptions: [{ name }], principals: [bot.id] })
  const group = { name, description: '', members: [person.id] }
  const { group_id } = await person.succeed('POST /user_groups/create', group)
  await person.succeed('POST /invites', { invitee_emails: `${name}@x.com`, stream_ids: [] })
  const { invites } = await person.succeed('GET /invites')
  const emoji = { realmId: person.realm.id, name, authorId: person.id, fileName: 'x.png' }
  await chat.app.services.transaction((tx) => saveRealmEmoji(tx, emoji))
  const rule = { pattern: `${name}-(?P<id>[0-9]+)`, urlTemplate: 'https://x.com/{id}' }
  const linkifier = await chat.app.services.transaction((tx) => saveLinkifier(tx, person.realm.id, rule))
  const draft = { userId: person.id, type: '', recipientIds: '[]', topic: '', content: name, editedAt: 0 }
  const [kept] = await chat.app.services.transaction((tx) =>
    tx.insertInto('drafts').values(draft).returning('id').execute(),
  )
  const { saved_snippet_id } = await person.succeed('POST /saved_snippets', { title: name, content: name })
  return {
    draft: kept?.id ?? 0,
    snippet: saved_snippet_id,
    user: person.id,
    bot: bot.id,
    channel: channel.id,
    group: group_id,
    message: await say(person, channel),
    invitation: invites[0].id,
    linkifier,
  }
}

const owner = { role: Role.owner }

/** What there is of an organization, for comparison. */
async function stateOf(chat: Chat, realmId: number) {
  const { db } = chat.app.services
  const tables = ['users', 'channels', 'userGroups', 'messages', 'invitations', 'linkifiers', 'events'] as const
  const state = []
  for (const table of tables)
    state.push(await db.selectFrom(table).selectAll().where('realmId', '=', realmId).orderBy('id').execute())
  state.push(
    await db
      .selectFrom('userMessages')
      .innerJoin('messages', 'messages.id', 'messageId')
      .select(['messageId', 'userId', 'flags'])
      .where('realmId', '=', realmId)
      .orderBy('userId')
      .execute(),
    await db.selectFrom('userGroupMembers').selectAll().orderBy('groupId').orderBy('userId').execute(),
    await db.selectFrom('drafts').selectAll().orderBy('id').execute(),
    await db.selectFrom('savedSnippets').selectAll().orderBy('id').execute(),
  )
  return state
}

test('ids of another organization are answered like ids that never were, by every endpoint', async () => {
  const chat = await startChat()
  const other = await chat.organization('other')
  const [ada, eve] = [await chat.user('ada', owner), await chat.user('eve', { ...owner, realm: other })]
  const own = await possessions(chat, ada, 'design')
  const theirs = await possessions(chat, eve, 'theirs')
  const before = await stateOf(chat, other.id)

  for (const [kind, route, params] of probes) {
    const ask = async (id: number) => {
      const path = placed(route, own).replaceAll('{}', String(id))
      const answer = JSON.stringify(await ada.call(path, params?.(id)))
      return answer.replaceAll(new RegExp(`\\b${id}\\b`, 'g'), 'ID')
    }
    assert.equal(await ask(theirs[kind]), await ask(NEVER), `${route} with the id of a foreign ${kind}`)
  }
  assert.deepEqual(await stateOf(chat, other.id), before)
})

const placed = (route: string, own: Record<Kind, number>) =>
  route
    .replace('{own}', String(route.includes('/messages/') ? own.message : own.user))
    .replace('{ownChannel}', String(own.channel))
    .replace('{ownGroup}', String(own.group))
    .replace('{ownBot}', String(own.bot))

test('hidden channels and what is said in them are answered like what never was, by every endpoint', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', owner)
  const [ben, gus] = [await chat.user('ben'), await chat.user('gus', { role: Role.guest })]
  const own = { ...(await possessions(chat, ada, 'design')), user: ben.id }
  const secret = await chat.channel('secret', [ada], { isPrivate: true })
  const open = await chat.channel('open', [ada])
  const said = [await say(ada, secret), await say(ada, open)]

  for (const [person, hidden, message] of [
    [ben, secret.id, said[0]],
    [gus, secret.id, said[0]],
    [gus, open.id, said[1]],
  ] as const) {
    for (const [kind, route, params] of probes) {
      if (kind !== 'channel' && kind !== 'message') continue
      const ask = async (id: number) => {
        const path = placed(route, own).replaceAll('{}', String(id))
        const answer = JSON.stringify(await person.call(path, params?.(id)))
        return answer.replaceAll(new RegExp(`\\b${id}\\b`, 'g'), 'ID')
      }
      const id = kind === 'channel' ? hidden : Number(message)
      assert.equal(await ask(id), await ask(NEVER), `${route} by ${person.email} with the id of a hidden ${kind}`)
    }
  }
})

test('addresses and names of another organization, and hidden ones, are answered like ones that never were', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const eve = await chat.user('eve', { ...owner, realm: await chat.organization('other') })
  await possessions(chat, eve, 'theirs')
  await chat.user('hidden', { settings: { email_address_visibility: AddressVisibility.nobody } })
  await chat.channel('hidden', [], { isPrivate: true })
  const requests: ((address: string, name: string) => [route: string, params?: Record<string, unknown>])[] = [
    (address) => [`GET /users/${address}`],
    (address) => [`PATCH /users/${address}`, { full_name: 'Mine' }],
    (address) => [`GET /users/${address}/presence`],
    (address) => ['POST /messages', { type: 'direct', to: [address], content: 'hi' }],
    (address) => ['GET /messages', narrow('sender')(address as never)],
    (address) => ['GET /messages', narrow('dm')(address as never)],
    (address) => ['GET /messages', narrow('dm-including')(address as never)],
    (address) => ['DELETE /users/me/subscriptions', { subscriptions: [], principals: [address] }],
    (_, name) => ['GET /get_stream_id', { stream: name }],
    (_, name) => ['DELETE /users/me/subscriptions', { subscriptions: [name] }],
    (_, name) => ['PATCH /users/me/subscriptions', { delete: [name] }],
    (_, name) => ['POST /messages', { type: 'channel', to: name, topic: 'tea', content: 'hi' }],
    (_, name) => ['GET /messages', narrow('channel')(name as never)],
    (_, name) => ['POST /messages/render', { content: `#**${name}** #**${name}>tea** @*${name}* :${name}:` }],
    (_, name) => ['PATCH /users/me/subscriptions/muted_topics', { stream: name, topic: 'tea', op: 'add' }],
    (_, name) => ['PATCH /users/me/subscriptions/muted_topics', { stream: name, topic: 'tea', op: 'remove' }],
    (_, name) => [`DELETE /realm/emoji/${name}`],
  ]

  for (const request of requests) {
    const ask = async (address: string, name: string) => {
      const answer = JSON.stringify(await ada.call(...request(address, name)))
      return answer.replaceAll(address, 'ADDRESS').replaceAll(name, 'NAME')
    }
    const never = await ask('never@example.com', 'never')
    for (const [address, name] of [
      ['eve@example.com', 'theirs'],
      ['hidden@example.com', 'hidden'],
    ] as const)
      assert.equal(await ask(address, name), never, `${request(address, name)[0]} with ${address} and ${name}`)
  }
})

test('no endpoint that takes an id is left out', () => {
  const shape = (route: string) => route.replace(/\{\w*\}/g, '{}')
  const probed = new Set(probes.map(([, route]) => shape(route)))
  const takesId = ({ path, params, pathTypes }: (typeof api)[number]) => {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string)
    const names = [...inPath.filter((name) => pathTypes[name] === undefined), ...Object.keys(params)]
    return names.some((name) => /_ids?$/.test(name) && !otherIds.has(name))
  }

  const left = api.filter(takesId).map(({ method, path }) => shape(`${method} ${path}`))

  assert.deepEqual(
    left.filter((route) => !probed.has(route)),
    [],
  )
})
