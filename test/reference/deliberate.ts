import type { Schema } from './schema.ts'

/** On the way to a schema: a key, or the choice of one from a list. */
export type Step = string | ((variants: readonly Schema[]) => Schema | undefined)

/** A schema of the reference that we deliberately change. */
type DeliberateChange = {
  /** The way to it in the document. */
  at: readonly Step[]
  becomes(schema: Schema): void
  why: string
}

const component = (...names: readonly string[]) => ['components', 'schemas', ...names]

const answer = (path: string, method: string) => [
  ...['paths', path, method, 'responses', '200', 'content', 'application/json', 'schema', 'allOf', '1'],
]

const event = (type: string, op?: string): Step[] => [
  ...answer('/events', 'get'),
  ...['properties', 'events', 'items', 'oneOf'],
  (variants) =>
    variants.find(
      ({ properties = {} }) => properties['type']?.allOf?.[1]?.enum?.[0] === type && properties['op']?.enum?.[0] === op,
    ),
]

const extraEmojiName = {
  becomes: (schema: Schema) => allow(schema, 'service_extra_emoji'),
  why: 'our own extra emoji bear this name; clients that call themselves Zulip are told zulip_extra_emoji',
}

/** Where answers and events may differ from the reference. Nothing else is excused. */
export const deliberateChanges: readonly DeliberateChange[] = [
  { at: component('EmojiBase', 'properties', 'reaction_type'), ...extraEmojiName },
  { at: component('UserStatus', 'properties', 'reaction_type'), ...extraEmojiName },
  { at: [...event('user_status'), 'properties', 'reaction_type'], ...extraEmojiName },
  {
    at: [...component('RateLimitedError', 'allOf'), '1', 'properties', 'retry-after'],
    becomes: (schema) => {
      schema.type = 'number'
    },
    why: 'the reference server answers fractions of a second',
  },
  {
    at: [...event('stream', 'update'), 'properties', 'value'],
    becomes: (schema) => {
      schema.nullable = true
    },
    why: 'a channel whose retention follows the organization has no days of its own',
  },
  {
    at: component('Invite'),
    becomes: (schema) =>
      add(schema, {
        uses: { type: 'integer' },
        max_uses: { type: 'integer', nullable: true },
        allowed_domains: { type: 'array', items: { type: 'string' } },
      }),
    why: 'links say whom they admit, and how many came',
  },
  {
    at: answer('/users/me', 'get'),
    becomes: (schema) =>
      add(schema, { bot_type: { type: 'integer' }, bot_owner_id: { type: 'integer', nullable: true } }),
    why: 'the reference server tells bots of themselves, and documents it nowhere',
  },
  {
    at: event('message'),
    becomes: (schema) => add(schema, { local_message_id: { type: 'string' } }),
    why: 'the reference server echoes local_id to the queue that sent it, and clients wait for it',
  },
]

function allow(schema: Schema, value: string): void {
  schema.enum = [...(schema.enum ?? []), value]
}

function add(schema: Schema, properties: Record<string, Schema>): void {
  schema.properties = { ...schema.properties, ...properties }
}

/** In what our declarations of answers and parameters differ on purpose, by the reason why. */
const declared: Readonly<Record<string, readonly string[]>> = {
  'links admit as many people, with addresses in such domains, as their inviter wants': [
    'GET /invites include_link_limits: only we have it',
    'POST /invites/multiuse max_uses: only we have it',
    'POST /invites/multiuse allowed_domains: only we have it',
  ],
  'whoever makes a link may want to be told, too, or not': [
    'POST /invites/multiuse notify_referrer_on_join: only we have it',
  ],
  'it is refused yet, whatever is asked for': [
    'POST /export/realm .id: only the reference has it',
    'POST /export/realm export_type: only the reference has it',
    'GET /calls/bigbluebutton/create .url: only the reference has it',
    'GET /calls/bigbluebutton/create meeting_name: only the reference has it',
    'GET /calls/bigbluebutton/create voice_only: only the reference has it',
  ],
  'there is no Zephyr': ['POST /users/me/presence .zephyr_mirror_active: only the reference has it'],
  'deprecated; presence tells who is away': [
    'GET /users/{user_id}/status .status.away: only the reference has it',
    'POST /register .user_status.*.away: only the reference has it',
    'GET /events .events[].away: only the reference has it',
  ],
  'only organizations of a hosting service have it': [
    'POST /register .demo_organization_scheduled_deletion_date: only the reference has it',
    'POST /register .realm_authentication_methods.*.unavailable_reason: only the reference has it',
  ],
  'newer settings come in user_settings alone': [
    'POST /register .receives_typing_notifications: only the reference has it',
  ],
  'there are no video calls': ['POST /register .jitsi_server_url: only the reference has it'],
  'queues outlive a restart, so that clients need not know of it': [
    'POST /register .server_generation: only the reference has it',
  ],
  'API keys are shown once, when they are made': [
    'POST /register .realm_bots[].api_key: only the reference has it',
    'GET /events .events[].bot.api_key: only the reference has it',
  ],
  'there are no embedded bots': [
    'POST /register .realm_bots[].services[].service_name: only the reference has it',
    'POST /register .realm_bots[].services[].config_data: only the reference has it',
    'GET /events .events[].bot.services[].service_name: only the reference has it',
    'GET /events .events[].bot.services[].config_data: only the reference has it',
  ],
  'the server never sends these events': [
    'GET /events .events[].default_stream_groups: only the reference has it',
    'GET /events .events[].onboarding_steps: only the reference has it',
    'GET /events .events[].realm_filters: only the reference has it',
    'GET /events .events[].exports: only the reference has it',
    'GET /events .events[].zulip_version: only the reference has it',
    'GET /events .events[].zulip_merge_base: only the reference has it',
    'GET /events .events[].zulip_feature_level: only the reference has it',
    'GET /events .events[].server_generation: only the reference has it',
    'GET /events .events[].immediate: only the reference has it',
  ],
  'events about settings allow any value; each setting declares its own': [
    'GET /events .events[].value.direct_members: only the reference has it',
    'GET /events .events[].value.direct_subgroups: only the reference has it',
  ],
  'clients know from their subscriptions which channels are muted': [
    'GET /events .events[].message_details.*.unmuted_stream_msg: only the reference has it',
  ],
  'the reference server reads it as JSON, whatever its schema says': [
    'PATCH /streams/{stream_id} message_retention_days: we read it as JSON',
    'POST /users/me/subscriptions message_retention_days: we read it as JSON',
  ],
  'clients send it bare, too, so it is read leniently': [
    'POST /messages to: we do not read it as JSON',
    'POST /messages to: we do not take it as number, array',
    'POST /scheduled_messages to: we do not read it as JSON',
    'POST /scheduled_messages to: we do not take it as number, array',
    'PATCH /scheduled_messages/{scheduled_message_id} to: we do not read it as JSON',
    'PATCH /scheduled_messages/{scheduled_message_id} to: we do not take it as number, array',
  ],
  'the reference server accepts a request without it, and its error names what is missing': [
    'POST /messages to: we do not require it',
  ],
  'the reference server takes it as text, too, and says by its own words what is wrong with it': [
    'POST /scheduled_messages to: we do not read it as JSON',
    'POST /scheduled_messages to: we do not take it as number, array',
    'PATCH /scheduled_messages/{scheduled_message_id} to: we do not read it as JSON',
    'PATCH /scheduled_messages/{scheduled_message_id} to: we do not take it as number, array',
  ],
  'channels take no mail, whoever sends it': [
    'GET /streams/{stream_id}/email_address sender_id: only the reference has it',
  ],
  'what the topic was called of old; the reference server takes it, too': [
    'POST /messages subject: only we have it',
    'PATCH /messages/{message_id} subject: only we have it',
    'POST /scheduled_messages subject: only we have it',
    'PATCH /scheduled_messages/{scheduled_message_id} subject: only we have it',
  ],
  'the reference server takes it, and documents it nowhere': [
    'POST /register queue_lifespan_secs: only we have it',
    'POST /messages widget_content: only we have it',
  ],
  'a group that was deactivated by mistake can be brought back': [
    'PATCH /user_groups/{user_group_id} deactivated: only we have it',
  ],
  'the file may come in a field of any name': [
    'POST /realm/emoji/{emoji_name} filename: only the reference has it',
    'POST /user_uploads filename: only the reference has it',
  ],
}

/** All of them, as the comparison words them. */
export const deliberateDeclarations: readonly string[] = Object.values(declared).flat()

/** What errors say beside what the reference documents of their code, by the reason why. */
const errorFields: Readonly<Record<string, readonly string[]>> = {
  'the reference server says it, and documents it nowhere': [
    'BAD_NARROW .desc',
    'REQUEST_CONFUSING_VAR .var_name1',
    'REQUEST_CONFUSING_VAR .var_name2',
  ],
}

/** Whether a field of errors of this code is deliberate. */
export const isOwnField = (code: string, name: string): boolean =>
  Object.values(errorFields).some((fields) => fields.includes(`${code} .${name}`))

/** Operations that the reference lacks, by the reason why we have them. */
const ownOperations: Readonly<Record<string, readonly string[]>> = {
  'the reference server has them and documents them nowhere': [
    'POST /submessage',
    'GET /bots',
    'POST /bots',
    'PATCH /bots/{bot_id}',
    'DELETE /bots/{bot_id}',
    'POST /bots/{bot_id}/api_key/regenerate',
    'GET /bot_storage',
    'PUT /bot_storage',
    'DELETE /bot_storage',
    'POST /users/me/avatar',
    'DELETE /users/me/avatar',
    'POST /users/me/api_key/regenerate',
    'PATCH /realm',
    'POST /realm/deactivate',
    'GET /realm/domains',
    'POST /realm/domains',
    'PATCH /realm/domains/{domain}',
    'DELETE /realm/domains/{domain}',
    'PATCH /settings/notifications',
    'PATCH /settings/display',
    'PATCH /realm/profile_fields/{field_id}',
    'DELETE /realm/profile_fields/{field_id}',
    'PATCH /users/me/profile_data',
    'DELETE /users/me/profile_data',
  ],
  'people look after their keys one by one, and see what others see of them': [
    'GET /users/me/api_keys',
    'POST /users/me/api_keys',
    'DELETE /users/me/api_keys/{key_id}',
    'GET /users/me/presence/as_seen',
  ],
  'an invitation that ends too soon need not be made anew': [
    'PATCH /invites/{invite_id}',
    'PATCH /invites/multiuse/{invite_id}',
  ],
  'inviters see what they may give, and what became of their invitations': [
    'GET /invites/choices',
    'GET /invites/preview',
    'GET /invites/ended',
  ],
  'how far mails came, and what they say: nobody else tells that': [
    'GET /invites/deliveries',
    'GET /mails',
    'GET /mails/{mail_id}',
    'POST /mails/{mail_id}/retry',
  ],
  'browsers tell of messages while no page is open in them': [
    'GET /web_push/subscription',
    'PUT /web_push/subscription',
    'DELETE /web_push/subscription',
  ],
}

/** The operations that are deliberately ours. */
export const ownRoutes: readonly string[] = Object.values(ownOperations).flat()

export const isOurOwn = (route: string): boolean => ownRoutes.includes(route)
