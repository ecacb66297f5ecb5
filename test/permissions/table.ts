import type { RealmSettings } from '#realms/realm-settings.ts'
import { BotType, Role } from '#rules/role.ts'
import { SIGN_IN_PROVIDER, type Values } from './organization.ts'

// Each endpoint, with the callers who may use it on each kind of target. The table follows the specification and the
// pages about roles and permissions of the reference server, apart from the differences in docs/compatibility.md. All
// other callers must be refused. If they were refused for another reason, such as a missing parameter, the row would
// prove nothing; so somebody must be allowed to make each call on some target.

/** Settings of the organization. The others have their defaults. */
export const settings: Partial<RealmSettings> = {
  waiting_period_threshold: 3,
  can_create_groups: 'role:fullmembers',
  can_create_public_channel_group: 'role:fullmembers',
  can_invite_users_group: 'role:fullmembers',
  can_move_messages_between_channels_group: 'role:moderators',
  can_add_custom_emoji_group: 'role:moderators',
  enable_spectator_access: true,
}

/** Sets of callers by name: callers, and other sets. */
export const sets = {
  nobody: '',
  owners: 'owner',
  admins: 'owners admin ownerbot',
  moderators: 'admins moderator',
  fullmembers: 'moderators member bot demoted',
  members: 'fullmembers newcomer',
  guests: 'guest limited',
  everyone: 'members guests',
  bots: 'ownerbot bot',
} as const

type May = Readonly<Record<string, string>>
type Params = Record<string, unknown>

/** A call, and who may make it on each target: names of callers and sets, after `-` those who may not. */
export type Row = {
  readonly route: string
  readonly may: May
  /** The parameters, and the values of names in the path that are not those of the target. */
  readonly params: (target: Values) => Params
  /** True if the call uploads a picture. */
  readonly sendsPicture?: boolean
  /** A text that the response contains if the caller sees the target; omitted if a success says so. */
  readonly shows?: (target: Values) => string
}

const row = (route: string, may: May, params: Params | ((target: Values) => Params) = {}): Row => ({
  route,
  may,
  params: typeof params === 'function' ? params : () => params,
})

const withPicture = (made: Row): Row => ({ ...made, sendsPicture: true })

/** A call that everyone may make, and whose response contains the text for those who see the target. */
const showing = (shows: (target: Values) => string, made: Row): Row => ({ ...made, shows })

/** Calls that need no target. */
const inOrganization = (route: string, who: string, params: Params = {}) => row(route, { organization: who }, params)

/** Calls about an object that only the person to whom it belongs may make. */
const onOwn = (route: string, who: string, params: Params | ((target: Values) => Params) = {}) =>
  row(route, { own: who, 'of Sue': 'nobody' }, params)

const LATER = { scheduled_delivery_timestamp: 4_000_000_000 }
const TOPIC = { topic: 'tea' }
const GROUP = { new: { direct_members: [], direct_subgroups: [] } }
const LINKIFIER = { pattern: 'X(?P<id>[0-9]+)', url_template: 'https://example.com/{id}' }
const PASSWORD = 'a long and unusual password'
const subscriptions = ({ name }: Values) => ({ subscriptions: [{ name }] })
const names = ({ name }: Values) => ({ subscriptions: [name] })

// Channels: who knows that they exist, who reads them, who posts in them, who has subscribed, who administers them.

const known: May = {
  public: 'members',
  joined: 'everyone',
  private: 'admins',
  'joined private': 'everyone',
  protected: 'everyone',
  'web-public': 'everyone',
  archived: 'everyone',
  'archived private': 'admins',
}
const read: May = { ...known, private: 'nobody', 'archived private': 'nobody' }
/** The same with callers added, or after `-` removed, wherever somebody may. */
const also = (who: string, may: May): May =>
  Object.fromEntries(Object.entries(may).map(([name, given]) => [name, given === 'nobody' ? given : `${given} ${who}`]))
const posted = also('hook', { ...read, archived: 'nobody' })
const subscribed: May = { ...read, public: 'nobody', 'web-public': 'nobody' }
const administered: May = Object.fromEntries(Object.keys(known).map((name) => [name, 'admins']))

const channels: Row[] = [
  row('GET /streams/{stream_id}', known),
  row('GET /streams/{stream_id}/members', known),
  row('GET /get_stream_id', known, ({ name }) => ({ stream: name })),
  row('GET /users/me/{stream_id}/topics', { ...read, 'web-public': 'everyone visitor' }),
  row('PATCH /streams/{stream_id}', administered, { description: 'Ours' }),
  row(
    'PATCH /streams/{stream_id}',
    { ...administered, private: 'nobody', 'archived private': 'nobody' },
    {
      can_subscribe_group: GROUP,
    },
  ),
  row('PATCH /streams/{stream_id}', { joined: 'owners' }, { message_retention_days: 30 }),
  row('DELETE /streams/{stream_id}', { ...administered, archived: 'nobody', 'archived private': 'nobody' }),
  row(
    'POST /streams/{stream_id}/delete_topic',
    { public: 'admins', joined: 'admins', private: 'nobody' },
    {
      topic_name: 'tea',
    },
  ),
  row('GET /streams/{stream_id}/email_address', known),
  row('DELETE /streams/{stream_id}/email_address', known),
  row('DELETE /streams/{stream_id}/email_address', { public: 'admins', joined: 'admins' }, { all: true }),
  row('POST /default_streams', { public: 'admins', joined: 'admins', private: 'nobody' }, ({ stream_id }) => ({
    stream_id,
  })),
  row('DELETE /default_streams', { public: 'admins', joined: 'admins' }, ({ stream_id }) => ({ stream_id })),

  row('POST /users/me/subscriptions', also('-guests', read), subscriptions),
  row('PATCH /users/me/subscriptions', also('-guests', read), ({ name }) => ({ add: [{ name }] })),
  row('PATCH /users/me/subscriptions', known, ({ name }) => ({ delete: [name] })),
  row('DELETE /users/me/subscriptions', known, names),
  row(
    'POST /users/me/subscriptions',
    { public: 'members', joined: 'members', private: 'nobody', 'joined private': 'members' },
    (channel) => ({ ...subscriptions(channel), principals: ['mary@example.com'] }),
  ),
  row('DELETE /users/me/subscriptions', administered, (channel) => ({
    ...names(channel),
    principals: ['sue@example.com'],
  })),
  row('DELETE /users/me/subscriptions', { joined: 'admins member bot' }, (channel) => ({
    ...names(channel),
    principals: ['bot@example.com'],
  })),
  inOrganization('POST /users/me/subscriptions', 'fullmembers', { subscriptions: [{ name: 'new' }] }),
  inOrganization('POST /users/me/subscriptions', 'members', { subscriptions: [{ name: 'new' }], invite_only: true }),
  inOrganization('POST /users/me/subscriptions', 'owners', {
    ...{ subscriptions: [{ name: 'new' }], message_retention_days: 30 },
  }),
  row('POST /users/me/subscriptions/properties', subscribed, ({ stream_id }) => ({
    subscription_data: [{ stream_id, property: 'is_muted', value: true }],
  })),
  row('PATCH /users/me/subscriptions/{stream_id}', subscribed, { property: 'is_muted', value: true }),
  row('GET /users/{user_id}/subscriptions/{stream_id}', known),
  row('POST /user_topics', read, ({ stream_id }) => ({ stream_id, ...TOPIC, visibility_policy: 1 })),
  row('PATCH /users/me/subscriptions/muted_topics', read, ({ stream_id }) => ({ stream_id, ...TOPIC, op: 'add' })),
  showing(({ name }) => `"name":"${name}"`, row('GET /streams', known, { include_all: true, exclude_archived: false })),
  showing(({ name }) => `"name":"${name}"`, row('GET /users/me/subscriptions', { ...subscribed, archived: 'nobody' })),
]

// Messages: those in a channel can be read by those who can read the channel, except that guests have to subscribe even
// to web-public channels, and that protected history hides earlier messages. Direct messages belong to their participants.

const readable: May = {
  ...read,
  'web-public': 'members',
  'before joining': 'nobody',
  'direct message': 'everyone',
  'direct message of others': 'nobody',
}
/** Messages in archived channels can be read, but not changed. */
const changeable: May = { ...readable, archived: 'nobody' }
/** Messages of another person, which administrators can delete if they can read them. */
const deletable: May = Object.fromEntries(
  Object.entries(changeable).map(([name, who]) => [name, who === 'nobody' ? who : 'admins']),
)
const movable: May = { public: 'moderators', joined: 'moderators', 'web-public': 'moderators', private: 'nobody' }
const ofOthers: May = { joined: 'nobody', private: 'nobody', 'direct message': 'nobody' }

const messages: Row[] = [
  row('GET /messages/{message_id}', { ...readable, 'web-public': 'members visitor' }),
  row('GET /messages/{message_id}/history', readable),
  row('GET /messages/{message_id}/read_receipts', { ...readable, own: 'everyone' }),
  row('POST /messages/flags', readable, ({ message_id }) => ({ messages: [message_id], op: 'add', flag: 'starred' })),
  row('POST /messages/{message_id}/reactions', changeable, { emoji_name: 'smile' }),
  row('DELETE /messages/{message_id}/reactions', { own: 'everyone', ...ofOthers }, { emoji_name: 'smile' }),
  row('POST /reminders', readable, ({ message_id }) => ({ message_id, ...LATER })),
  row('PATCH /messages/{message_id}', { own: 'everyone', ...ofOthers }, { content: 'changed' }),
  row('PATCH /messages/{message_id}', { ...changeable, 'direct message': 'nobody' }, { topic: 'moved' }),
  row('PATCH /messages/{message_id}', { ...movable, own: 'moderators' }, ({ other_id }) => ({ stream_id: other_id })),
  row('DELETE /messages/{message_id}', { ...deletable, own: 'everyone' }),
  row('POST /messages/{message_id}/typing', { own: 'everyone', ...ofOthers }, { op: 'start' }),
  row('POST /submessage', { own: 'everyone', ...ofOthers }, ({ message_id }) => ({
    ...{ message_id, msg_type: 'widget', content: '{"widget_type": "poll"}' },
  })),
  row('POST /messages', posted, ({ stream_id }) => ({ type: 'channel', to: stream_id, ...TOPIC, content: 'hi' })),
  row('POST /typing', also('-hook', posted), ({ stream_id }) => ({
    type: 'channel',
    op: 'start',
    stream_id,
    ...TOPIC,
  })),
  row('POST /scheduled_messages', also('-hook', posted), ({ stream_id }) => ({
    ...{ type: 'channel', to: stream_id, ...TOPIC, content: 'hi', ...LATER },
  })),
  row('POST /mark_stream_as_read', known, ({ stream_id }) => ({ stream_id })),
  row('POST /mark_topic_as_read', subscribed, ({ stream_id }) => ({ stream_id, topic_name: 'tea' })),
  showing(
    ({ message_id }) => `"id":${message_id},`,
    row('GET /messages', { ...readable, 'web-public': 'everyone' }, ({ message_id }) => ({
      message_ids: [message_id],
    })),
  ),
  showing(
    ({ message_id }) => `"id":${message_id},`,
    row(
      'GET /messages',
      { public: 'nobody', joined: 'nobody', private: 'nobody', 'web-public': 'everyone visitor' },
      {
        ...{ anchor: 'newest', num_before: 100, num_after: 0, narrow: [['channels', 'web-public']] },
      },
    ),
  ),
  inOrganization('GET /messages/matches_narrow', 'everyone', { msg_ids: [1], narrow: [] }),
  inOrganization('POST /messages/flags/narrow', 'everyone', {
    ...{ anchor: 'newest', num_before: 10, num_after: 0, narrow: [], op: 'add', flag: 'starred' },
  }),
  inOrganization('POST /mark_all_as_read', 'everyone'),
  inOrganization('POST /messages/render', 'everyone', { content: '**hi**' }),

  row('GET /user_uploads/{realm_id_str}/{filename}', {
    ...{
      public: 'members',
      joined: 'everyone',
      private: 'nobody',
      'joined private': 'everyone',
      'web-public': 'everyone',
    },
    ...{ 'before joining': 'nobody', archived: 'everyone', 'archived private': 'nobody' },
    ...{ own: 'everyone', 'of Sue': 'nobody' },
  }),
  onOwn('DELETE /attachments/{attachment_id}', 'everyone'),
  inOrganization('GET /attachments', 'everyone'),
  withPicture(inOrganization('POST /user_uploads', 'everyone')),
]

// Users. A limited guest sees only people with whom they share a conversation.

const nowhere: May = { 'a deactivated user': 'nobody', 'a user elsewhere': 'nobody' }
const seen: May = {
  'an owner': 'everyone -limited',
  'an administrator': 'everyone -limited',
  'a moderator': 'everyone -limited',
  'a member': 'everyone -limited',
  'Sue, in channels of the caller': 'everyone',
  'a guest': 'everyone -limited',
  'a deactivated user': 'everyone -limited',
  'a user elsewhere': 'nobody',
  "an owner's bot": 'everyone',
}
const active: May = { ...seen, 'a deactivated user': 'nobody' }
/** Unless CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE is set, limited guests see the presence of everyone. */
const present: May = {
  'an owner': 'everyone',
  'a member': 'everyone',
  'a guest': 'everyone',
  ...nowhere,
  "an owner's bot": 'nobody',
}
const managed: May = {
  'an owner': 'admins -bots',
  'an administrator': 'admins -bots',
  'a moderator': 'admins -bots',
  'a member': 'admins -bots',
  'a guest': 'admins -bots',
  'a user elsewhere': 'nobody',
}
/** The same for changes with which an account can be taken over or lost. */
const mastered: May = { ...managed, 'an owner': 'owner' }
const byOwners: May = {
  'an owner': 'owner',
  'an administrator': 'owner',
  'a member': 'owner',
  'a user elsewhere': 'nobody',
}

const users: Row[] = [
  row('GET /users/{user_id}', seen),
  row('GET /users/{email}', seen),
  row('GET /users/{user_id}/status', active),
  row('GET /users/{user_id_or_email}/presence', present, ({ user_id }) => ({ user_id_or_email: user_id })),
  row('POST /messages', also('hook', active), ({ user_id }) => ({ type: 'direct', to: [user_id], content: 'hi' })),
  row('POST /typing', seen, ({ user_id }) => ({ type: 'direct', op: 'start', to: [user_id] })),
  row('POST /scheduled_messages', active, ({ user_id }) => ({
    type: 'direct',
    to: [user_id],
    content: 'hi',
    ...LATER,
  })),
  row('POST /users/me/muted_users/{muted_user_id}', seen, ({ user_id }) => ({ muted_user_id: user_id })),
  row('DELETE /users/me/muted_users/{muted_user_id}', { own: 'everyone' }),
  row('PATCH /users/{user_id}', managed, { full_name: 'Changed' }),
  row('PATCH /users/{email}', managed, { full_name: 'Changed' }),
  row('PATCH /users/{user_id}', mastered, { role: Role.moderator }),
  row('PATCH /users/{user_id}', { 'a member': 'owner', 'an administrator': 'owner' }, { role: Role.owner }),
  row('PATCH /users/{user_id}', byOwners, { new_email: 'changed@x.com' }),
  row('DELETE /users/{user_id}', { ...mastered, own: 'admins -bots' }),
  row('DELETE /users/{user_id}/sessions', mastered),
  row('DELETE /users/{user_id}/second_factors', mastered),
  row('GET /users/{user_id}/erasure', { ...byOwners, 'a deactivated user': 'owner' }),
  row('POST /users/{user_id}/erasure', { ...byOwners, 'a deactivated user': 'owner' }),
  row('POST /users/{user_id}/reactivate', { 'a deactivated user': 'admins -bots', 'a user elsewhere': 'nobody' }),
  inOrganization('POST /users', 'admins -bots', { email: 'new@x.com', full_name: 'New', password: PASSWORD }),
  showing(
    ({ email }) => `"email":"${email}"`,
    row('GET /users', { ...seen, 'a deactivated user': 'everyone -limited' }),
  ),
  showing(
    ({ email }) => `"email":"${email}"`,
    row('GET /users', seen, ({ user_id }) => ({ user_ids: [user_id] })),
  ),
  showing(
    ({ email }) => `"email":"${email}"`,
    row('GET /users/search', { ...seen, 'a deactivated user': 'nobody' }, ({ email }) => ({ query: email })),
  ),
  inOrganization('GET /users/me', 'everyone'),
  inOrganization('GET /realm/presence', 'everyone'),
  inOrganization('GET /bot_commands', 'everyone'),
]

// Bots. Administrators manage the bots of members, owners those of owners, and everyone their own.

const manageable: May = {
  "an owner's bot": 'owner',
  "Sue's bot": 'owner admin',
  "the member's bot": 'owner admin member',
  'a user elsewhere': 'nobody',
  'a member': 'nobody',
}
const webhooks: May = {
  "an owner's webhook": 'owner',
  "Sue's webhook": 'owner admin',
  "the member's webhook": 'owner admin member',
}
const outgoing: May = {
  "an owner's program": 'owner',
  "Sue's program": 'owner admin',
  "the member's program": 'owner admin member',
}

const bots: Row[] = [
  row('PATCH /bots/{bot_id}', manageable, { full_name: 'Changed' }),
  row('PATCH /bots/{bot_id}', { ...manageable, "the member's bot": 'owner admin' }, { role: Role.guest }),
  row('DELETE /bots/{bot_id}', manageable),
  row('POST /bots/{bot_id}/api_key/regenerate', manageable),
  row('POST /bots/{bot_id}/api_keys', manageable),
  row('GET /bots/{bot_id}/commands', manageable),
  row('PUT /bots/{bot_id}/commands', outgoing, { commands: [] }),
  row('GET /bots/{bot_id}/outgoing_deliveries', manageable),
  row('POST /bots/{bot_id}/outgoing_deliveries/{delivery_id}/send_again', outgoing),
  row('GET /bots/{bot_id}/webhook_secrets', manageable),
  row('PUT /bots/{bot_id}/webhook_secrets/{integration}', manageable, { integration: 'github', secret: 'x' }),
  row('GET /bots/{bot_id}/webhook_deliveries', manageable),
  row('POST /bots/{bot_id}/webhook_deliveries/{delivery_id}/send_again', webhooks),
  row('POST /bots/{bot_id}/webhook_test', webhooks, { integration: 'github' }),
  ...['POST /external/{integration}', 'POST /external/slack_incoming'].map((route) =>
    row(route, { public: 'hook', joined: 'hook', 'joined private': 'hook' }, ({ name }) => ({
      ...{ integration: 'json', stream: name, payload: '{"text": "hi"}' },
    })),
  ),
  inOrganization('GET /external/{integration}', 'hook', { integration: 'json' }),
  inOrganization('GET /bots', 'everyone -bots'),
  inOrganization('POST /bots', 'members -bots -demoted', {
    full_name: 'New',
    short_name: 'new',
    bot_type: BotType.generic,
  }),
  inOrganization('GET /bot_storage', 'bots'),
  inOrganization('PUT /bot_storage', 'bots', { storage: { score: '1' } }),
  inOrganization('DELETE /bot_storage', 'bots'),
]

// User groups are managed by their creators, and by owners. Everyone sees them.

const groupsSeen: May = {
  'a group': 'everyone',
  'a system group': 'everyone',
  'a deactivated group': 'nobody',
  'a group elsewhere': 'nobody',
}
const groupsManaged: May = {
  'a group': 'owner',
  'a system group': 'nobody',
  'a deactivated group': 'nobody',
  'a group elsewhere': 'nobody',
}

const groups: Row[] = [
  inOrganization('GET /user_groups', 'everyone'),
  row('GET /user_groups/{user_group_id}/members', groupsSeen),
  row('GET /user_groups/{user_group_id}/members/{user_id}', groupsSeen),
  row('GET /user_groups/{user_group_id}/subgroups', groupsSeen),
  row('PATCH /user_groups/{user_group_id}', groupsManaged, { name: 'changed' }),
  row('POST /user_groups/{user_group_id}/deactivate', groupsManaged),
  row('POST /user_groups/{user_group_id}/members', groupsManaged, ({ user_id }) => ({ add: [user_id] })),
  row('POST /user_groups/{user_group_id}/subgroups', groupsManaged, ({ subgroup_id }) => ({ add: [subgroup_id] })),
  inOrganization('POST /user_groups/create', 'fullmembers -bots', { name: 'new', description: '', members: [] }),
]

// Invitations. Those to become an owner belong to owners.

const invitations: Row[] = [
  inOrganization('POST /invites', 'fullmembers -bots', { invitee_emails: 'new@x.com', stream_ids: [] }),
  inOrganization('POST /invites', 'moderators -bots', { invitee_emails: 'new@x.com', stream_ids: [], invite_as: 300 }),
  inOrganization('POST /invites', 'admins -bots', { invitee_emails: 'new@x.com', stream_ids: [], invite_as: 200 }),
  inOrganization('POST /invites', 'owner', { invitee_emails: 'new@x.com', stream_ids: [], invite_as: 100 }),
  inOrganization('POST /invites/multiuse', 'admins -bots'),
  inOrganization('POST /invites/multiuse', 'owner', { invite_as: Role.owner }),
  ...['', '/ended', '/deliveries', '/choices', '/preview'].map((part) =>
    inOrganization(`GET /invites${part}`, 'members -bots'),
  ),
  ...(
    [
      ['POST /invites/{invite_id}/resend', {}],
      ['PATCH /invites/{invite_id}', { invite_expires_in_minutes: 60 }],
      ['DELETE /invites/{invite_id}', {}],
    ] as const
  ).map(([route, params]) =>
    row(route, { 'an invitation to be an owner': 'owner', "Sue's invitation": 'admins -bots' }, params),
  ),
  ...(
    [
      ['PATCH /invites/multiuse/{invite_id}', { invite_expires_in_minutes: 60 }],
      ['DELETE /invites/multiuse/{invite_id}', {}],
    ] as const
  ).map(([route, params]) => row(route, { 'a link to become an owner': 'owner', 'a link': 'admins -bots' }, params)),
  inOrganization('GET /mails', 'admins -bots'),
  row('GET /mails/{mail_id}', { 'an invitation to be an owner': 'admins -bots', "Sue's invitation": 'admins -bots' }),
  showing(
    () => '"contents":"shown"',
    row('GET /mails/{mail_id}', { 'an invitation to be an owner': 'owner', "Sue's invitation": 'admins -bots' }),
  ),
  row('POST /mails/{mail_id}/retry', {
    'an invitation to be an owner': 'admins -bots',
    "Sue's invitation": 'admins -bots',
  }),
]

// The organization. Bots with the role of an administrator may change settings, but not its pictures.

const organization: Row[] = [
  inOrganization('PATCH /realm', 'admins', { description: 'Ours' }),
  inOrganization('PATCH /realm', 'owners', { invite_required: false }),
  inOrganization('PATCH /realm', 'owners', { can_invite_users_group: GROUP }),
  inOrganization('PATCH /realm', 'admins', { can_create_bots_group: GROUP }),
  inOrganization('PATCH /realm/user_settings_defaults', 'admins', { twenty_four_hour_time: true }),
  inOrganization('POST /realm/deactivate', 'owner'),
  inOrganization('GET /realm/second_factors', 'admins -bots'),
  inOrganization('GET /realm/scim_token', 'owners -bots'),
  inOrganization('POST /realm/scim_token', 'owners -bots'),
  inOrganization('DELETE /realm/scim_token', 'owners -bots'),
  inOrganization('GET /realm/sign_in_providers', 'owners -bots'),
  inOrganization('POST /realm/sign_in_providers', 'owners -bots', SIGN_IN_PROVIDER),
  row('PATCH /realm/sign_in_providers/{provider_id}', { 'a sign-in provider': 'owners -bots' }, SIGN_IN_PROVIDER),
  row('DELETE /realm/sign_in_providers/{provider_id}', { 'a sign-in provider': 'owners -bots' }),
  row('POST /realm/sign_in_providers/{provider_id}/test', { 'a sign-in provider': 'owners -bots' }),
  withPicture(inOrganization('POST /realm/icon', 'admins -bots')),
  inOrganization('DELETE /realm/icon', 'admins -bots'),
  withPicture(inOrganization('POST /realm/logo', 'admins -bots', { night: false })),
  inOrganization('DELETE /realm/logo', 'admins -bots', { night: false }),
  inOrganization('GET /realm/usage', 'admins -bots'),
  inOrganization('GET /audit_log', 'admins -bots'),
  inOrganization('GET /server/health', 'admins -bots'),

  inOrganization('GET /realm/domains', 'everyone'),
  inOrganization('POST /realm/domains', 'owners', { domain: 'y.com', allow_subdomains: false }),
  row('PATCH /realm/domains/{domain}', { 'a domain': 'owners' }, { allow_subdomains: true }),
  row('DELETE /realm/domains/{domain}', { 'a domain': 'owners' }),

  inOrganization('GET /realm/emoji', 'everyone'),
  withPicture(inOrganization('POST /realm/emoji/{emoji_name}', 'moderators -bots', { emoji_name: 'gadget' })),
  row('DELETE /realm/emoji/{emoji_name}', { 'an emoji': 'admins -bots' }),

  inOrganization('GET /realm/linkifiers', 'everyone'),
  inOrganization('PATCH /realm/linkifiers', 'admins', { ordered_linkifier_ids: [1] }),
  inOrganization('POST /realm/filters', 'admins', LINKIFIER),
  row('PATCH /realm/filters/{filter_id}', { 'a linkifier': 'admins' }, LINKIFIER),
  row('DELETE /realm/filters/{filter_id}', { 'a linkifier': 'admins' }),
  inOrganization('POST /realm/playgrounds', 'admins', {
    ...{ name: 'New', pygments_language: 'Rust', url_template: 'https://example.com/{code}' },
  }),
  row('DELETE /realm/playgrounds/{playground_id}', { 'a playground': 'admins' }),

  inOrganization('GET /realm/profile_fields', 'everyone'),
  inOrganization('PATCH /realm/profile_fields', 'admins', { order: [1] }),
  inOrganization('POST /realm/profile_fields', 'admins', { name: 'New', field_type: 1 }),
  row('PATCH /realm/profile_fields/{field_id}', { 'a profile field': 'admins' }, { name: 'Changed' }),
  row('DELETE /realm/profile_fields/{field_id}', { 'a profile field': 'admins' }),
  row('PATCH /users/me/profile_data', { 'a profile field': 'everyone -bots' }, ({ field_id }) => ({
    data: [{ id: field_id, value: 'x' }],
  })),
  row('DELETE /users/me/profile_data', { 'a profile field': 'everyone -bots' }, ({ field_id }) => ({
    data: [field_id],
  })),

  inOrganization('GET /export/realm', 'admins'),
  inOrganization('POST /export/realm', 'admins'),
  inOrganization('GET /export/realm/consents', 'admins'),
  row('DELETE /export/realm/{export_id}', { 'an export': 'admins', 'of Sue': 'nobody' }),
]

// A person's own account and objects, which nobody else sees or changes.

const personal: Row[] = [
  inOrganization('GET /drafts', 'everyone -bots'),
  inOrganization('POST /drafts', 'everyone -bots', { drafts: [] }),
  onOwn('PATCH /drafts/{draft_id}', 'everyone -bots', { draft: { type: '', to: [], topic: '', content: 'changed' } }),
  onOwn('DELETE /drafts/{draft_id}', 'everyone -bots'),
  inOrganization('GET /saved_snippets', 'everyone -bots'),
  inOrganization('POST /saved_snippets', 'everyone -bots', { title: 'new', content: 'new' }),
  onOwn('PATCH /saved_snippets/{saved_snippet_id}', 'everyone -bots', { title: 'changed' }),
  onOwn('DELETE /saved_snippets/{saved_snippet_id}', 'everyone -bots'),
  inOrganization('GET /scheduled_messages', 'everyone'),
  onOwn('PATCH /scheduled_messages/{scheduled_message_id}', 'everyone', { content: 'changed' }),
  onOwn('DELETE /scheduled_messages/{scheduled_message_id}', 'everyone'),
  inOrganization('GET /reminders', 'everyone'),
  onOwn('PATCH /reminders/{reminder_id}', 'everyone', { note: 'changed' }),
  onOwn('DELETE /reminders/{reminder_id}', 'everyone'),
  inOrganization('POST /register', 'everyone visitor'),
  onOwn('GET /events', 'everyone', ({ queue_id }) => ({ queue_id, last_event_id: -1, dont_block: true })),
  onOwn('DELETE /events', 'everyone', ({ queue_id }) => ({ queue_id })),
  inOrganization('GET /users/me/data_export', 'everyone -bots'),
  inOrganization('POST /users/me/data_export', 'everyone -bots'),
  inOrganization('DELETE /users/me/data_export', 'everyone -bots'),

  inOrganization('GET /users/me/api_keys', 'everyone -bots'),
  onOwn('DELETE /users/me/api_keys/{key_id}', 'everyone -bots'),
  inOrganization('GET /users/me/sessions', 'everyone -bots'),
  onOwn('DELETE /users/me/sessions/{session_id}', 'everyone -bots -demoted'),
  inOrganization('DELETE /users/me/sessions', 'everyone -bots -demoted'),
  inOrganization('GET /users/me/second_factors', 'everyone -bots'),
  inOrganization('GET /users/me/connected_accounts', 'everyone -bots'),
  inOrganization('POST /users/me/totp/secret', 'everyone -bots'),
  inOrganization('DELETE /users/me/trusted_browsers', 'everyone -bots'),
  inOrganization('POST /users/me/api_key/regenerate', 'everyone -bots -demoted'),
  inOrganization('DELETE /users/me', 'everyone -bots'),
  ...['', '/notifications', '/display'].map((part) =>
    inOrganization(`PATCH /settings${part}`, 'everyone -bots', { enter_sends: true }),
  ),
  withPicture(inOrganization('POST /users/me/avatar', 'everyone -bots')),
  inOrganization('DELETE /users/me/avatar', 'everyone -bots'),
  inOrganization('POST /users/me/status', 'everyone -bots', { status_text: 'out' }),
  inOrganization('POST /users/me/presence', 'everyone -bots', { status: 'active' }),
  inOrganization('GET /users/me/presence/as_seen', 'everyone -bots'),
  inOrganization('GET /users/me/alert_words', 'everyone'),
  inOrganization('POST /users/me/alert_words', 'everyone', { alert_words: ['tea'] }),
  inOrganization('DELETE /users/me/alert_words', 'everyone', { alert_words: ['tea'] }),
  inOrganization('POST /users/me/apns_device_token', 'everyone -bots', { token: 'c0ffee00', appid: 'org.example.App' }),
  inOrganization('POST /users/me/android_gcm_reg_id', 'everyone -bots', { token: 'new' }),
  onOwn('DELETE /users/me/apns_device_token', 'everyone -bots', ({ apns_token }) => ({ token: apns_token })),
  onOwn('DELETE /users/me/android_gcm_reg_id', 'everyone -bots', ({ apns_token }) => ({ token: apns_token })),
  inOrganization('GET /calls/bigbluebutton/create', 'everyone', { meeting_name: 'tea' }),
  inOrganization('GET /integrations', 'everyone -bots'),
  inOrganization('GET /integrations/{integration}', 'everyone -bots', { integration: 'github' }),
]

/** Endpoints that are not in the table, with the reason. */
export const leftOut: Readonly<Record<string, readonly string[]>> = {
  'everyone may call them, without an account': ['GET /server_settings', 'POST /passwords/check'],
  'they ask for a password': ['POST /fetch_api_key', 'POST /dev_fetch_api_key', 'POST /users/me/api_keys'],
  'they ask for a token of a program of the operator': ['POST /jwt/fetch_api_key'],
  'they ask for a password or a second factor, and concern only those of the caller': [
    ...['POST /users/me/totp', 'DELETE /users/me/totp', 'POST /users/me/recovery_codes'],
    ...['POST /users/me/passkeys/challenge', 'POST /users/me/passkeys', 'PATCH /users/me/passkeys/{passkey_id}'],
    ...['DELETE /users/me/passkeys/{passkey_id}', 'DELETE /users/me/trusted_browsers/{browser_id}'],
    ...['POST /users/me/confirmation', 'DELETE /users/me/connected_accounts/{account_id}'],
  ],
  'they need another service': ['POST /calls/zoom/create', 'GET /gifs/search', 'POST /mobile_push/test_notification'],
  'they belong to the session of a browser': [
    ...['GET /web_push/subscription', 'PUT /web_push/subscription', 'DELETE /web_push/subscription'],
  ],
}

export const table: readonly Row[] = [
  ...channels,
  ...messages,
  ...users,
  ...bots,
  ...groups,
  ...invitations,
  ...organization,
  ...personal,
]
