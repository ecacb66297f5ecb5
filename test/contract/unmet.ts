import { noResizing } from '../pictures.ts'

/** The parts of the reference documentation that the calls in this folder do not produce, by reason. */
type Reasons = Readonly<Record<string, readonly string[]>>

export const operationsRefused: Reasons = {
  'always refused, and documented as such': ['POST /mobile_push/test_notification'],
  'they need another service, so they are tested with the endpoint': ['POST /calls/zoom/create', 'GET /gifs/search'],
  'the responses are plain text, which is tested with the endpoint': ['POST /external/slack_incoming'],
}

export const changesNotAudited: Reasons = {
  'they send a message, and change nothing': [
    'POST /bots/{bot_id}/webhook_test',
    'POST /bots/{bot_id}/webhook_deliveries/{delivery_id}/send_again',
  ],
  'it fetches the documents of the provider, and changes nothing': ['POST /realm/sign_in_providers/{provider_id}/test'],
}

export const eventsNotReceived: Reasons = {
  'deprecated; their replacements are emitted': ['realm_filters', 'realm_bot/remove'],
  'it needs Zoom, so it is tested with the endpoint': ['has_zoom_token'],
  'groups of default channels and onboarding steps are not supported': ['default_stream_groups', 'onboarding_steps'],
  'it logs out its recipients': ['realm/deactivated'],
  'queues survive a restart, and there is no web client to reload': ['restart', 'web_reload_client'],
}

export const errorsNotReturned: Reasons = {
  'worded without the name of another product': [
    "POST /invites: Some of those addresses are already using Zulip, so we didn't send them an invitation. We did send invitations to everyone else!",
  ],
  'a missing reaction cannot be removed, whatever its code': [
    'DELETE /messages/{message_id}/reactions: Invalid emoji code',
  ],
  'the actual error of the reference server says that it cannot be blank': [
    'POST /saved_snippets: Title cannot be empty.',
  ],
  'organizations of every size export their data themselves': [
    'POST /export/realm: Please request a manual export from zulip-admin@example.com.',
  ],
  'users have one role, and no flags that could contradict it': [
    'PATCH /users/{user_id}: Guests cannot be organization administrators',
    'PATCH /users/{email}: Guests cannot be organization administrators',
  ],
}

export const fieldsNotFilled: Reasons = {
  'no message links to them': ['PATCH /messages/{message_id} .detached_uploads[].messages[]'],
  'the image package is not installed': noResizing ? ['POST /register .server_thumbnail_formats[]'] : [],
  'explained in the comparison of declarations': [
    'POST /users/me/presence .zephyr_mirror_active',
    'GET /users/{user_id}/status .status.away',
    'POST /register .user_status.*.away',
    'POST /register .demo_organization_scheduled_deletion_date',
    'POST /register .realm_authentication_methods.*.unavailable_reason',
    'POST /register .realm_bots[].api_key',
    'POST /register .realm_bots[].services[].service_name',
    'POST /register .realm_bots[].services[].config_data',
  ],
  'the same in events': [
    'user_status .away',
    'realm_bot/add .bot.api_key',
    'realm_bot/add .bot.services[].service_name',
    'realm_bot/add .bot.services[].config_data',
    'realm_bot/update .bot.api_key',
    'realm_bot/update .bot.services[].service_name',
    'realm_bot/update .bot.services[].config_data',
  ],
  'bots have no defaults, and their avatars do not change': [
    'realm_bot/update .bot.default_sending_stream',
    'realm_bot/update .bot.default_events_register_stream',
    'realm_bot/update .bot.default_all_public_streams',
    'realm_bot/update .bot.avatar_url',
  ],
  'not supported here': [
    'POST /register .onboarding_steps[]',
    'POST /register .realm_embedded_bots[]',
    'POST /register .realm_incoming_webhook_bots[]',
    'POST /register .realm_default_stream_groups[]',
    'GET /server_settings .external_authentication_methods[]',
  ],
  'system bots have no profile': ['POST /register .cross_realm_bots[].profile_data'],
  'a new upload is not in a message yet': ['attachment/add .attachment.messages[]'],
  'new users have no profile data yet': ['realm_user/add .person.profile_data.*'],
  'a new message has no history': [
    'message .message.edit_history',
    'message .message.last_edit_timestamp',
    'message .message.last_moved_timestamp',
    'message .message.reactions[]',
    'message .message.submessages[]',
  ],
}

/** Changes that the server emits one by one, as `realm/update`. */
export const emittedOneByOne = /^realm\/update_dict \.data\./
