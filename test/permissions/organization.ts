import { findRealmGroups } from '#groups/queries.ts'
import { openSession } from '#people/sessions.ts'
import { saveRealmEmoji } from '#realms/emoji.ts'
import { type DataExport, OWN_DATA } from '#realms/export-records.ts'
import { saveLinkifier } from '#realms/linkifiers.ts'
import { saveRealmSettings } from '#realms/queries.ts'
import type { RealmSettings } from '#realms/realm-settings.ts'
import { BotType, Role } from '#rules/role.ts'
import { signIn } from '../browser.ts'
import { credentials, filesForm, type TestFile, upload } from '../files.ts'
import { type Chat, type Person, type PersonOptions, START, type StartOptions, startChat } from '../harness.ts'
import { addToChannel, sendDirect, sendToChannel } from '../messages.ts'

/** The callers of the table. `anonymous` and `visitor` have no account: one calls the API, one has opened the client. */
export const callerNames = [
  'owner',
  'admin',
  'ownerbot',
  'moderator',
  'member',
  'bot',
  'demoted',
  'newcomer',
  'guest',
  'limited',
  'hook',
  'deactivated',
  'foreign',
  'anonymous',
  'visitor',
] as const

export type CallerName = (typeof callerNames)[number]

/** Values of parameters by their names, in paths and elsewhere. */
export type Values = Readonly<Record<string, string | number>>

export type Answer = { status: number; headers: Record<string, unknown>; body: string }

type Caller = {
  /** The objects that belong to the caller. A caller who has none of a kind has those of Sue. */
  readonly own: Values
  /** Calls an endpoint of the organization, or of the caller's own one if `isAtHome` is true. */
  send(request: Request): Promise<Answer>
}

export type Request = {
  route: string
  params?: Record<string, unknown>
  file?: TestFile | undefined
  isAtHome?: boolean
}

export type Organization = {
  readonly chat: Chat
  readonly callers: Readonly<Record<CallerName, Caller>>
  /** Users who do not call. */
  readonly others: Others
  /** The objects that belong to them, by their names in the table. */
  readonly targets: Readonly<Record<string, Values>>
}

const LATER = START + 10 * 86_400

/** Starts a server with the callers and targets of the table, and changes its settings at the end. */
export async function startOrganization(
  settings: Partial<RealmSettings>,
  { random }: Pick<StartOptions, 'random'> = {},
): Promise<Organization> {
  const calls = { BIG_BLUE_BUTTON_URL: 'https://bbb.example.com/bigbluebutton', BIG_BLUE_BUTTON_SECRET: 'secret' }
  const chat = await startChat({ settings: calls, ...(random && { random }) })
  const elsewhere = await chat.organization('elsewhere')
  const others = await createOthers(chat)
  const { sue, tom, otto } = others
  const people = await createCallers(chat, elsewhere)
  const members = callerNames
    .filter((name) => !['hook', 'foreign', 'anonymous', 'visitor'].includes(name))
    .map((name) => people[name])
  const channels = await createChannels(chat, { sue, tom, members })
  const joined = channels['joined'] as Values
  const ofSue = await createOwn(chat, sue, 'sue', { tom, joined })
  const targets = {
    ...channels,
    ...(await createMessages({ sue, tom, members, channels })),
    ...(await usersOf(chat, others, people.foreign)),
    ...(await createBots(chat, { otto, sue, ...people })),
    ...(await createGroups({ sue, tom, otto, foreign: people.foreign })),
    ...(await createInvitations({ otto, sue })),
    ...(await createOrganizationObjects(chat, otto, sue)),
    'of Sue': ofSue,
    organization: {},
  }
  const session = await signIn(chat, people.demoted)
  const token = await session.csrfToken()
  const cookie = Array.from(session.cookies, ([name, value]) => `${name}=${value}`).join('; ')
  // Logins prove for some minutes that the user knows the password.
  await chat.clock.advance(1800)

  const callers: Partial<Record<CallerName, Caller>> = {}
  for (const name of callerNames) {
    const person = people[name]
    const own = members.includes(person) ? await createOwn(chat, person, name, { tom, joined }) : {}
    const headers: Headers = name === 'anonymous' || name === 'visitor' ? {} : credentials(person)
    callers[name] = {
      own: { ...ofSue, ...own, email: person.email },
      send: (request) => send(chat, name === 'visitor' ? '/json' : '/api/v1', headers, request),
    }
  }
  const demoted = { host: 'parley.test', cookie, 'x-csrftoken': token, 'sec-fetch-site': 'same-origin' }
  callers.demoted = { own: callers.demoted?.own ?? {}, send: (request) => send(chat, '/json', demoted, request) }
  await otto.succeed(`DELETE /users/${people.deactivated.id}`)
  // The session has been used with the former role.
  await callers.demoted.send({ route: 'GET /realm/usage' })
  await otto.succeed(`PATCH /users/${people.demoted.id}`, { role: Role.member })
  await restrict(chat, { settings, elsewhere, guest: people.guest })
  return { chat, callers: callers as Record<CallerName, Caller>, others, targets }
}

type Headers = Record<string, string>

/** Changes the settings: most guests see few users, and nobody elsewhere creates channels. */
async function restrict(
  chat: Chat,
  { settings, elsewhere, guest }: { settings: Partial<RealmSettings>; elsewhere: Person['realm']; guest: Person },
): Promise<void> {
  const { byId } = await findRealmGroups(chat.app.services.db, chat.realm.id)
  const members = [...byId.values()].find(({ systemName }) => systemName === 'role:members')
  const can_access_all_users_group = { direct_members: [guest.id], direct_subgroups: [members?.id ?? 0] }
  await chat.change({ ...settings, can_access_all_users_group })
  await chat.app.services.transaction((tx) =>
    saveRealmSettings(tx, elsewhere.id, { can_create_public_channel_group: 'role:nobody' }),
  )
}

async function createCallers(chat: Chat, elsewhere: Person['realm']): Promise<Record<CallerName, Person>> {
  const user = (name: string, options: PersonOptions) => chat.user(name, options)
  const owner = await user('owner', { role: Role.owner })
  const member = await user('member', {})
  return {
    owner,
    member,
    admin: await user('admin', { role: Role.administrator }),
    ownerbot: await user('ownerbot', { role: Role.administrator, botType: BotType.generic, owner }),
    moderator: await user('moderator', { role: Role.moderator }),
    bot: await user('bot', { botType: BotType.generic, owner: member }),
    demoted: await user('demoted', { role: Role.administrator }),
    newcomer: await user('newcomer', { joinedAt: START }),
    guest: await user('guest', { role: Role.guest }),
    limited: await user('limited', { role: Role.guest }),
    hook: await user('hook', { botType: BotType.incomingWebhook, owner: member }),
    deactivated: await user('deactivated', {}),
    foreign: await user('foreign', { role: Role.owner, realm: elsewhere }),
    anonymous: await user('anonymous', { realm: elsewhere }),
    visitor: await user('visitor', { realm: elsewhere }),
  }
}

type Others = Awaited<ReturnType<typeof createOthers>>

/** Creates users who do not call. Only Sue and Tom share conversations with callers. */
const createOthers = async (chat: Chat) => ({
  sue: await chat.user('sue'),
  tom: await chat.user('tom'),
  otto: await chat.user('otto', { role: Role.owner }),
  abel: await chat.user('abel', { role: Role.administrator }),
  max: await chat.user('max', { role: Role.moderator }),
  mary: await chat.user('mary'),
  gil: await chat.user('gil', { role: Role.guest }),
})

type Cast = { sue: Person; tom: Person; members: readonly Person[] }

/** Creates a channel of each kind, with Sue and Tom in each. */
async function createChannels(chat: Chat, { sue, tom, members }: Cast): Promise<Record<string, Values>> {
  const channels: Record<string, Values> = {}
  const create = async (name: string, kind: Parameters<Chat['channel']>[2], hasMembers: boolean) => {
    const subscribers = hasMembers ? [sue, tom, ...members] : [sue, tom]
    const channel = await chat.channel(name, subscribers, { creatorId: sue.id, ...kind })
    const url = await upload(chat, sue, { bytes: name })
    const message = await sendToChannel(sue, channel, `in ${name}: [a file](${url})`)
    const [, realm = '', filename = ''] = /user_uploads\/(\w+)\/(.*)/.exec(url) ?? []
    channels[name] = {
      stream_id: channel.id,
      name,
      message_id: message,
      user_id: sue.id,
      realm_id_str: realm,
      filename,
    }
  }
  const secret = { isPrivate: true }
  await create('public', {}, false)
  await create('joined', {}, true)
  await create('private', secret, false)
  await create('joined private', secret, true)
  await create('protected', { ...secret, isHistoryShared: false }, false)
  await create('web-public', { isWebPublic: true }, false)
  await create('archived', {}, true)
  await create('archived private', secret, false)
  const early = channels['protected'] as Values
  await addToChannel(sue, { name: 'protected' }, members)
  channels['before joining'] = early
  channels['protected'] = { ...early, message_id: await sendToChannel(sue, { name: 'protected' }, 'late') }
  const other_id = channels['joined private']?.['stream_id'] ?? 0
  for (const [name, channel] of Object.entries(channels)) channels[name] = { ...channel, other_id }
  const archivedAt = chat.clock.now()
  for (const name of ['archived', 'archived private'])
    await chat.app.services.transaction((tx) =>
      tx.updateTable('channels').set({ archivedAt }).where('name', '=', name).execute(),
    )
  return channels
}

async function createMessages({ sue, tom, members, channels }: Cast & { channels: Record<string, Values> }) {
  const other_id = channels['joined private']?.['stream_id'] ?? 0
  return {
    'direct message': { other_id, message_id: await sendDirect(sue, [tom, ...members]) },
    'direct message of others': { other_id, message_id: await sendDirect(sue, [tom]) },
  }
}

const valuesOf = (person: Person) => ({ user_id: person.id, bot_id: person.id, email: person.email })

async function usersOf(chat: Chat, others: Others, foreign: Person): Promise<Record<string, Values>> {
  const { otto, abel, max, mary, sue, gil } = others
  const gone = await chat.user('gone')
  for (const person of [...Object.values(others), gone])
    await person.succeed('POST /users/me/presence', { status: 'active' })
  await otto.succeed(`DELETE /users/${gone.id}`)
  return {
    'an owner': valuesOf(otto),
    'an administrator': valuesOf(abel),
    'a moderator': valuesOf(max),
    'a member': valuesOf(mary),
    'Sue, in channels of the caller': valuesOf(sue),
    'a guest': valuesOf(gil),
    'a deactivated user': valuesOf(gone),
    'a user elsewhere': valuesOf(foreign),
  }
}

/** Creates bots of each kind, for an owner, for Sue and for the caller who is a member. */
async function createBots(chat: Chat, people: Record<'otto' | 'sue' | 'member' | 'bot' | 'hook', Person>) {
  const { otto, sue, member, bot, hook } = people
  const create = (name: string, owner: Person, botType: number) => chat.user(name, { botType, owner })
  const deliveryOf = async (owner: Person, given: Person) => {
    await given.succeed('POST /external/json?stream=public', { payload: { state: 'firing' } })
    const { deliveries } = await owner.succeed(`GET /bots/${given.id}/webhook_deliveries`)
    return { ...valuesOf(given), delivery_id: deliveries[0].id }
  }
  const program = async (name: string, owner: Person) => {
    const params = { full_name: name, short_name: name, bot_type: BotType.outgoingWebhook }
    const { user_id } = await owner.succeed('POST /bots', { ...params, payload_url: '"https://example.com/hook"' })
    await owner.succeed('POST /messages', { type: 'direct', to: [user_id], content: 'hi' })
    await chat.app.jobs.webhooks.settled()
    // The last attempt fails, and its notice is sent before anything else happens.
    await chat.clock.advance(1800)
    await chat.app.jobs.webhooks.settled()
    const { deliveries } = await owner.succeed(`GET /bots/${user_id}/outgoing_deliveries`)
    return { bot_id: user_id, delivery_id: deliveries[0].id }
  }
  return {
    "an owner's bot": valuesOf(await create('ottobot', otto, BotType.generic)),
    "Sue's bot": valuesOf(await create('suebot', sue, BotType.generic)),
    "the member's bot": valuesOf(bot),
    "an owner's webhook": await deliveryOf(otto, await create('ottohook', otto, BotType.incomingWebhook)),
    "Sue's webhook": await deliveryOf(sue, await create('suehook', sue, BotType.incomingWebhook)),
    "the member's webhook": await deliveryOf(member, hook),
    "an owner's program": await program('ottoprogram', otto),
    "Sue's program": await program('sueprogram', sue),
    "the member's program": await program('memberprogram', member),
  }
}

async function createGroups({ sue, tom, otto, foreign }: Record<'sue' | 'tom' | 'otto' | 'foreign', Person>) {
  const { realm_user_groups } = await sue.succeed('POST /register', { fetch_event_types: ['realm_user_groups'] })
  const system = (name: string) => realm_user_groups.find((group: { name: string }) => group.name === name).id
  const create = async (person: Person, name: string, params: Record<string, unknown> = {}) => {
    const given = { name, description: '', members: [], ...params }
    const { group_id } = await person.succeed('POST /user_groups/create', given)
    return { user_group_id: group_id, user_id: tom.id, subgroup_id: system('role:moderators') }
  }
  const former = await create(otto, 'former')
  await otto.succeed(`POST /user_groups/${former.user_group_id}/deactivate`)
  return {
    'a group': await create(sue, 'team'),
    'a group to join': await create(sue, 'club', { can_join_group: system('role:members') }),
    'a system group': { ...(await create(sue, 'crew')), user_group_id: system('role:members') },
    'a deactivated group': former,
    'a group elsewhere': await create(foreign, 'team'),
  }
}

async function createInvitations({ otto, sue }: { otto: Person; sue: Person }) {
  const invite = async (person: Person, name: string, invite_as: Role) => {
    await person.succeed('POST /invites', { invitee_emails: `${name}@x.com`, stream_ids: [], invite_as })
    const { invites } = await person.succeed('GET /invites')
    const { mails } = await otto.succeed('GET /mails', { recipient: `${name}@x.com` })
    const { id } = invites.find((one: { email?: string }) => one.email === `${name}@x.com`)
    return { invite_id: id as number, mail_id: mails[0].id as number }
  }
  const link = async (invite_as: Role) => {
    await otto.succeed('POST /invites/multiuse', { invite_as })
    const { invites } = await otto.succeed('GET /invites')
    return { invite_id: invites.findLast((one: { is_multiuse: boolean }) => one.is_multiuse).id as number }
  }
  return {
    'an invitation to be an owner': await invite(otto, 'boss', Role.owner),
    "Sue's invitation": await invite(sue, 'friend', Role.member),
    'a link to become an owner': await link(Role.owner),
    'a link': await link(Role.member),
  }
}

/** A provider that cannot be reached. */
export const SIGN_IN_PROVIDER = {
  provider: { preset: 'keycloak', name: 'Example', issuer: 'https://127.0.0.1:1', client_id: 'parley' },
  client_secret: 'secret',
}

async function createOrganizationObjects(chat: Chat, otto: Person, sue: Person) {
  const { transaction } = chat.app.services
  const realmId = chat.realm.id
  await transaction((tx) => saveRealmEmoji(tx, { realmId, name: 'gizmo', authorId: sue.id, fileName: 'x.png' }))
  const rule = { pattern: '#(?P<id>[0-9]+)', urlTemplate: 'https://x.com/{id}' }
  const filter_id = await transaction((tx) => saveLinkifier(tx, realmId, rule))
  const { id: field_id } = await otto.succeed('POST /realm/profile_fields', { name: 'Team', field_type: 1 })
  const site = { name: 'site', pygments_language: 'Python', url_template: 'https://x.com/{code}' }
  const { id: playground_id } = await otto.succeed('POST /realm/playgrounds', site)
  await otto.succeed('POST /realm/domains', { domain: 'x.com', allow_subdomains: false })
  const { id: provider_id } = await otto.succeed('POST /realm/sign_in_providers', SIGN_IN_PROVIDER)
  return {
    'a sign-in provider': { provider_id },
    'an emoji': { emoji_name: 'gizmo' },
    'a linkifier': { filter_id },
    'a profile field': { field_id },
    'a playground': { playground_id },
    'a domain': { domain: 'x.com' },
    'an export': { export_id: await finishExport(chat, otto, 1) },
  }
}

/** Saves an export that was requested two days ago, and returns its id. */
async function finishExport(chat: Chat, { id: actorId, realm }: Person, type: DataExport['type']): Promise<number> {
  const at = START - 2 * 86_400
  const row = { type, realmId: realm.id, actorId, file: `export-${actorId}`, bytes: 1, attempts: 1 }
  const saved = await chat.app.services.transaction((tx) =>
    tx
      .insertInto('dataExports')
      .values({ ...row, requestedAt: at, finishedAt: at })
      .returning('id')
      .executeTakeFirstOrThrow(),
  )
  return saved.id
}

/** Creates the objects that belong to one person. A person who may not have some of them gets none of these. */
async function createOwn(
  chat: Chat,
  person: Person,
  name: string,
  { tom, joined }: { tom: Person; joined: Values },
): Promise<Values> {
  const url = await upload(chat, person, { bytes: name })
  const [, realm_id_str = '', filename = ''] = /user_uploads\/(\w+)\/(.*)/.exec(url) ?? []
  const { attachments } = await person.succeed('GET /attachments')
  const message_id = await sendToChannel(person, { name: String(joined['name']) }, `from ${name}`)
  await person.succeed(`POST /messages/${message_id}/reactions`, { emoji_name: 'smile' })
  await person.succeed(`POST /users/me/muted_users/${tom.id}`)
  const scheduled = { type: 'direct', to: [person.id], content: name, scheduled_delivery_timestamp: LATER }
  const { scheduled_message_id } = await person.succeed('POST /scheduled_messages', scheduled)
  const reminder = { message_id, scheduled_delivery_timestamp: LATER }
  const { reminder_id } = await person.succeed('POST /reminders', reminder)
  const { queue_id } = await person.succeed('POST /register', { event_types: ['message'] })
  const own: Values = {
    ...{ user_id: person.id, message_id, other_id: joined['other_id'] ?? 0, muted_user_id: tom.id },
    ...{ attachment_id: attachments[0].id, realm_id_str, filename },
    ...{ scheduled_message_id, reminder_id, queue_id },
  }
  const draft = { type: '', to: [], topic: '', content: name, timestamp: START }
  const { ids } = await person.call('POST /drafts', { drafts: [draft] })
  if (ids === undefined) return own
  const apns_token = `c0ffee${String(person.id).padStart(2, '0')}`
  await person.succeed('POST /users/me/apns_device_token', { token: apns_token, appid: 'org.example.App' })
  await person.succeed('POST /users/me/android_gcm_reg_id', { token: apns_token })
  const export_id = await finishExport(chat, person, OWN_DATA)
  const { saved_snippet_id } = await person.succeed('POST /saved_snippets', { title: name, content: name })
  const { api_keys } = await person.succeed('GET /users/me/api_keys')
  const { session } = await chat.app.services.transaction((tx) => openSession(tx, person.id, { isKept: true }))
  return {
    ...own,
    draft_id: ids[0],
    saved_snippet_id,
    key_id: api_keys[0].id,
    session_id: session.id,
    apns_token,
    export_id,
  }
}

function send(chat: Chat, prefix: string, headers: Headers, request: Request): Promise<Answer> {
  const { route, params = {}, file, isAtHome = false } = request
  const [method = '', path = ''] = route.split(' ')
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(params))
    form.append(name, typeof value === 'string' ? value : JSON.stringify(value))
  const multipart = file === undefined ? null : filesForm([file])
  const inQuery = method === 'GET' || multipart !== null
  return chat.request({
    method,
    path: `${prefix}${path}${inQuery && form.size > 0 ? `?${form}` : ''}`,
    headers: {
      ...headers,
      ...(!isAtHome && { host: 'parley.test' }),
      ...(!inQuery && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...(multipart && { 'content-type': multipart.type }),
    },
    ...(multipart && { body: multipart.body }),
    ...(!inQuery && { body: form.toString() }),
  })
}
