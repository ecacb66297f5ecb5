import type { Schema } from './schema.ts'

/** A step on the path to a schema: a key, or a function that selects one from a list. */
export type Step = string | ((variants: readonly Schema[]) => Schema | undefined)

/** A schema of the reference documentation that is changed deliberately. */
type DeliberateChange = {
  /** The path of the schema in the document. */
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

const reminderList: Schema = { type: 'array', items: { type: 'object', additionalProperties: {} } }

const extraEmojiName = {
  becomes: (schema: Schema) => allow(schema, 'service_extra_emoji'),
  why: 'the name of our own extra emoji; clients that identify as Zulip get zulip_extra_emoji',
}

const statusEnd = {
  becomes: (schema: Schema) => add(schema, { scheduled_end_time: { type: 'integer', nullable: true } }),
  why: 'statuses can end, as Zulip has proposed',
}

/**
 * The deliberate differences from the reference documentation in responses and events. No other differences are
 * accepted.
 */
export const deliberateChanges: readonly DeliberateChange[] = [
  { at: component('EmojiBase', 'properties', 'reaction_type'), ...extraEmojiName },
  { at: component('UserStatus', 'properties', 'reaction_type'), ...extraEmojiName },
  { at: [...event('user_status'), 'properties', 'reaction_type'], ...extraEmojiName },
  {
    at: component('RealmExport'),
    becomes: (schema) => add(schema, { size: { type: 'integer', nullable: true } }),
    why: 'clients that ask for it show how large an export is before they download it',
  },
  { at: component('UserStatus'), ...statusEnd },
  { at: event('user_status'), ...statusEnd },
  {
    at: [...answer('/events', 'get'), 'properties', 'events', 'items'],
    becomes: (schema) => addEvent(schema, 'bot_commands'),
    why: 'clients with parley_extensions fetch the commands of bots again',
  },
  {
    at: answer('/register', 'post'),
    becomes: (schema) =>
      add(schema, {
        realm_audit_log_retention_days: { type: 'integer' },
        realm_send_channel_removal_notices: { type: 'boolean' },
      }),
    why: 'clients with parley_extensions know whether people who are removed from channels are told',
  },
  {
    at: answer('/register', 'post'),
    becomes: (schema) => add(schema, { realm_allow_search_engines: { type: 'boolean' } }),
    why: 'clients with parley_extensions know whether search engines may list web-public channels',
  },
  {
    at: answer('/register', 'post'),
    becomes: (schema) =>
      add(schema, {
        realm_session_idle_minutes: { type: 'integer', nullable: true },
        realm_session_lifetime_minutes: { type: 'integer', nullable: true },
        realm_second_factor_required_for: { type: 'string' },
        realm_second_factor_grace_days: { type: 'integer' },
      }),
    why: 'clients with parley_extensions show when browsers are logged out, and who must have a second factor',
  },
  {
    at: answer('/register', 'post'),
    becomes: (schema) => add(schema, { server_receives_email: { type: 'boolean' } }),
    why: 'clients with parley_extensions know whether channels have email addresses',
  },
  {
    at: answer('/register', 'post'),
    becomes: (schema) => add(schema, { user_list_incomplete: { type: 'boolean' } }),
    why: 'clients with parley_extensions fetch users whom the state leaves out in large organizations',
  },
  {
    at: [...answer('/register', 'post'), 'properties', 'user_settings'],
    becomes: (schema) =>
      add(schema, { presence_hidden_until: { type: 'integer' }, do_not_disturb_until: { type: 'integer' } }),
    why: 'clients with parley_extensions hide presence, and turn off notifications, until a time',
  },
  {
    at: [...component('RateLimitedError', 'allOf'), '1', 'properties', 'retry-after'],
    becomes: (schema) => {
      schema.type = 'number'
    },
    why: 'the reference server returns fractions of a second',
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
    why: 'links have domains and a limit, and count their uses',
  },
  {
    at: [...answer('/streams', 'get'), 'properties', 'streams', 'items', 'allOf', '1'],
    becomes: (schema) => add(schema, { subscriber_count: { type: 'integer' } }),
    why: 'the list of channels shows how many people are in each; later reference servers return it under this name',
  },
  {
    at: answer('/users/me', 'get'),
    becomes: (schema) =>
      add(schema, { bot_type: { type: 'integer' }, bot_owner_id: { type: 'integer', nullable: true } }),
    why: 'the reference server returns it to bots without documenting it',
  },
  {
    at: [...answer('/events', 'get'), 'properties', 'events', 'items'],
    becomes(schema) {
      addEvent(schema, 'reminders/add', { reminders: reminderList })
      addEvent(schema, 'reminders/remove', { reminder_id: { type: 'integer' } })
    },
    why: 'reminders of messages, as later reference servers send them',
  },
  {
    at: answer('/register', 'post'),
    becomes: (schema) => add(schema, { reminders: reminderList }),
    why: 'reminders of messages, for clients that ask for them',
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

/** Adds a kind of event that the reference server lacks: a type, or a type and an `op`, such as `reminders/add`. */
function addEvent(schema: Schema, kind: string, fields: Record<string, Schema> = {}): void {
  const [type = '', op] = kind.split('/')
  const properties: Record<string, Schema> = {
    id: { type: 'integer' },
    type: { allOf: [{ $ref: '#/components/schemas/EventTypeSchema' }, { enum: [type] }] },
    ...(op !== undefined && { op: { type: 'string', enum: [op] } }),
    ...fields,
  }
  schema.oneOf = [...(schema.oneOf ?? []), { type: 'object', properties, additionalProperties: false }]
}

/**
 * The deliberate differences in parameters, and the fields of responses and events that only the reference server has, by
 * reason. The fields that only this server has are in `deliberateChanges`.
 */
const declared: Readonly<Record<string, readonly string[]>> = {
  'links can be limited to domains and to a number of uses': [
    'GET /invites include_link_limits: only we have it',
    'POST /invites/multiuse max_uses: only we have it',
    'POST /invites/multiuse allowed_domains: only we have it',
  ],
  'users who leave can ask for the erasure of their data': ['DELETE /users/me request_erasure: only we have it'],
  'the size of an export is for clients that ask for it': ['GET /export/realm include_size: only we have it'],
  'the options of the email address of a channel are parameters': [
    'GET /streams/{stream_id}/email_address show_sender: only we have it',
    'GET /streams/{stream_id}/email_address include_footer: only we have it',
    'GET /streams/{stream_id}/email_address include_quotes: only we have it',
    'GET /streams/{stream_id}/email_address prefer_html: only we have it',
  ],
  'results of a search can be ordered by relevance': ['GET /messages order: only we have it'],
  'the list of channels shows how many people are in each': ['GET /streams include_subscriber_counts: only we have it'],
  'the creator of a link chooses whether to be notified': [
    'POST /invites/multiuse notify_referrer_on_join: only we have it',
  ],
  'Zephyr is not supported': ['POST /users/me/presence .zephyr_mirror_active: only the reference has it'],
  'deprecated; replaced by presence': [
    'GET /users/{user_id}/status .status.away: only the reference has it',
    'POST /register .user_status.*.away: only the reference has it',
    'GET /events .events[].away: only the reference has it',
  ],
  'only for organizations of a hosting service': [
    'POST /register .realm_authentication_methods.*.unavailable_reason: only the reference has it',
  ],
  'API keys are shown once, on creation': [
    'POST /register .realm_bots[].api_key: only the reference has it',
    'GET /events .events[].bot.api_key: only the reference has it',
  ],
  'embedded bots are not supported': [
    'POST /register .realm_bots[].services[].service_name: only the reference has it',
    'POST /register .realm_bots[].services[].config_data: only the reference has it',
    'GET /events .events[].bot.services[].service_name: only the reference has it',
    'GET /events .events[].bot.services[].config_data: only the reference has it',
  ],
  'the server never sends these events': [
    'GET /events .events[].default_stream_groups: only the reference has it',
    'GET /events .events[].onboarding_steps: only the reference has it',
    'GET /events .events[].realm_filters: only the reference has it',
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
  'the reference server reads it as JSON, contrary to its schema': [
    'PATCH /streams/{stream_id} message_retention_days: we read it as JSON',
    'POST /users/me/subscriptions message_retention_days: we read it as JSON',
  ],
  'some clients send it without JSON, so it is parsed leniently': [
    'POST /messages to: we do not read it as JSON',
    'POST /messages to: we do not take it as number, array',
    'POST /scheduled_messages to: we do not read it as JSON',
    'POST /scheduled_messages to: we do not take it as number, array',
    'PATCH /scheduled_messages/{scheduled_message_id} to: we do not read it as JSON',
    'PATCH /scheduled_messages/{scheduled_message_id} to: we do not take it as number, array',
  ],
  'the reference server validates it itself, with its own error if it is missing': [
    'POST /messages to: we do not require it',
  ],
  'the reference server also accepts text, with its own errors': [
    'POST /scheduled_messages to: we do not read it as JSON',
    'POST /scheduled_messages to: we do not take it as number, array',
    'PATCH /scheduled_messages/{scheduled_message_id} to: we do not read it as JSON',
    'PATCH /scheduled_messages/{scheduled_message_id} to: we do not take it as number, array',
  ],
  'the old name of topic, which the reference server accepts as well': [
    'POST /messages subject: only we have it',
    'PATCH /messages/{message_id} subject: only we have it',
    'POST /scheduled_messages subject: only we have it',
    'PATCH /scheduled_messages/{scheduled_message_id} subject: only we have it',
  ],
  'the reference server accepts it without documenting it': [
    'POST /register queue_lifespan_secs: only we have it',
    'POST /messages widget_content: only we have it',
  ],
  'a status, hidden presence and silence can end': [
    'POST /users/me/status scheduled_end_time: only we have it',
    'PATCH /settings presence_hidden_until: only we have it',
    'PATCH /settings do_not_disturb_until: only we have it',
  ],
  'later reference servers return only the users with these ids, too': ['GET /users user_ids: only we have it'],
  'an archived channel can be restored': ['PATCH /streams/{stream_id} is_archived: only we have it'],
  'a deactivated group can be reactivated': ['PATCH /user_groups/{user_group_id} deactivated: only we have it'],
  'the file may be in a field of any name': [
    'POST /realm/emoji/{emoji_name} filename: only the reference has it',
    'POST /user_uploads filename: only the reference has it',
  ],
}

/** All of them, in the wording of the comparison. */
export const deliberateDeclarations: readonly string[] = Object.values(declared).flat()

/** Additional fields of errors that the reference server does not document for their code, by reason. */
const errorFields: Readonly<Record<string, readonly string[]>> = {
  'the reference server returns it without documenting it': [
    'BAD_NARROW .desc',
    'BAD_REQUEST .parameters',
    'REQUEST_VARIABLE_INVALID .var_name',
    'REQUEST_VARIABLE_INVALID .bad_value',
    'REQUEST_CONFUSING_VAR .var_name1',
    'REQUEST_CONFUSING_VAR .var_name2',
    'MISSING_HTTP_EVENT_HEADER .header',
    'UNSUPPORTED_WEBHOOK_EVENT_TYPE .webhook_name',
    'UNSUPPORTED_WEBHOOK_EVENT_TYPE .event_type',
    'ANOMALOUS_WEBHOOK_PAYLOAD .webhook_name',
  ],
}

/** Returns whether a field of errors with this code is deliberate. */
export const isOwnField = (code: string, name: string): boolean =>
  Object.values(errorFields).some((fields) => fields.includes(`${code} .${name}`))

/** Operations that the reference server lacks, by reason. */
const ownOperations: Readonly<Record<string, readonly string[]>> = {
  'the reference server has them without documenting them': [
    'PATCH /users/me/subscriptions/{stream_id}',
    'POST /submessage',
    'POST /jwt/fetch_api_key',
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
    'POST /realm/icon',
    'DELETE /realm/icon',
    'POST /realm/logo',
    'DELETE /realm/logo',
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
    'POST /calls/zoom/create',
  ],
  'browsers search GIFs through the server, so that the provider does not learn who searches': ['GET /gifs/search'],
  'a password alone does not protect an account': [
    'GET /users/me/second_factors',
    'POST /users/me/totp/secret',
    'POST /users/me/totp',
    'DELETE /users/me/totp',
    'POST /users/me/recovery_codes',
    'POST /users/me/passkeys/challenge',
    'POST /users/me/passkeys',
    'PATCH /users/me/passkeys/{passkey_id}',
    'DELETE /users/me/passkeys/{passkey_id}',
    'DELETE /users/me/trusted_browsers',
    'DELETE /users/me/trusted_browsers/{browser_id}',
    'POST /users/me/confirmation',
    'DELETE /users/{user_id}/second_factors',
  ],
  'users manage their API keys and sessions, and see their presence as others do': [
    'GET /users/me/api_keys',
    'POST /users/me/api_keys',
    'DELETE /users/me/api_keys/{key_id}',
    'POST /bots/{bot_id}/api_keys',
    'GET /users/me/sessions',
    'DELETE /users/me/sessions',
    'DELETE /users/me/sessions/{session_id}',
    'DELETE /users/{user_id}/sessions',
    'GET /users/me/connected_accounts',
    'DELETE /users/me/connected_accounts/{account_id}',
    'GET /users/me/presence/as_seen',
  ],
  'clients of large organizations do not have all users': ['GET /users/search'],
  'forms check a new password while the user types': ['POST /passwords/check'],
  'administrators see the usage of the organization': ['GET /realm/usage'],
  'administrators see the audit log': ['GET /audit_log'],
  'administrators see the health of the server': ['GET /server/health'],
  'administrators see who has no second factor': ['GET /realm/second_factors'],
  'administrators delete exports, which the reference leaves out of its documentation': [
    'DELETE /export/realm/{export_id}',
  ],
  'owners erase users': ['GET /users/{user_id}/erasure', 'POST /users/{user_id}/erasure'],
  'owners add providers with which people sign in': [
    'GET /realm/sign_in_providers',
    'POST /realm/sign_in_providers',
    'PATCH /realm/sign_in_providers/{provider_id}',
    'DELETE /realm/sign_in_providers/{provider_id}',
    'POST /realm/sign_in_providers/{provider_id}/test',
  ],
  'users get an archive of their own data': [
    'GET /users/me/data_export',
    'POST /users/me/data_export',
    'DELETE /users/me/data_export',
  ],
  'the lifetime of invitations can be extended': ['PATCH /invites/{invite_id}', 'PATCH /invites/multiuse/{invite_id}'],
  'inviters see their choices, a preview and ended invitations': [
    'GET /invites/choices',
    'GET /invites/preview',
    'GET /invites/ended',
  ],
  'the delivery status and content of mails': [
    'GET /invites/deliveries',
    'GET /mails',
    'GET /mails/{mail_id}',
    'POST /mails/{mail_id}/retry',
  ],
  'other services post events; the reference documents one route for each service in its pages': [
    'POST /external/{integration}',
    'POST /external/slack_incoming',
    'GET /external/{integration}',
  ],
  'the signatures of such services are checked with a secret that is stored rather than in the URL': [
    'GET /bots/{bot_id}/webhook_secrets',
    'PUT /bots/{bot_id}/webhook_secrets/{integration}',
  ],
  'the catalogue of integrations, their test messages, and the last deliveries to a bot': [
    'GET /integrations',
    'GET /integrations/{integration}',
    'GET /bots/{bot_id}/webhook_deliveries',
    'POST /bots/{bot_id}/webhook_test',
    'POST /bots/{bot_id}/webhook_deliveries/{delivery_id}/send_again',
  ],
  'reminders of messages, in the form of later reference servers, which do not change them': [
    'GET /reminders',
    'POST /reminders',
    'PATCH /reminders/{reminder_id}',
    'DELETE /reminders/{reminder_id}',
  ],
  'email addresses of channels can be revoked': ['DELETE /streams/{stream_id}/email_address'],
  'owners make the token of SCIM, which the operator configures on the reference server': [
    'GET /realm/scim_token',
    'POST /realm/scim_token',
    'DELETE /realm/scim_token',
  ],
  'outgoing webhooks have commands, and a log of their deliveries': [
    'GET /bot_commands',
    'GET /bots/{bot_id}/commands',
    'PUT /bots/{bot_id}/commands',
    'GET /bots/{bot_id}/outgoing_deliveries',
    'POST /bots/{bot_id}/outgoing_deliveries/{delivery_id}/send_again',
  ],
  'browser notifications while no page is open': [
    'GET /web_push/subscription',
    'PUT /web_push/subscription',
    'DELETE /web_push/subscription',
  ],
}

/** The routes of these operations. */
export const ownRoutes: readonly string[] = Object.values(ownOperations).flat()

export const isOurOwn = (route: string): boolean => ownRoutes.includes(route)
