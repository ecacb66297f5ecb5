import { noResizing } from '../pictures.ts'

/** What the reference documents and the calls of this folder do not bring about, by the reason why. */
type Reasons = Readonly<Record<string, readonly string[]>>

export const operationsRefused: Reasons = {
  'always refused, and said so': [
    'POST /export/realm',
    'GET /calls/bigbluebutton/create',
    'POST /mobile_push/test_notification',
  ],
}

export const eventsNotReceived: Reasons = {
  'there is nothing yet that could cause them': ['realm_export'],
  'deprecated; what took their place is told': ['realm_filters', 'realm_bot/remove'],
  'there are no video calls, groups of default channels, or steps to be shown': [
    'has_zoom_token',
    'default_stream_groups',
    'onboarding_steps',
  ],
  'whoever might hear it is logged out by it': ['realm/deactivated'],
  'queues outlive a restart, and there is no web client to reload': ['restart', 'web_reload_client'],
}

export const errorsNotReturned: Reasons = {
  'worded without the name of another product': [
    "POST /invites: Some of those addresses are already using Zulip, so we didn't send them an invitation. We did send invitations to everyone else!",
  ],
  'what is not there cannot be taken away, whatever its code': [
    'DELETE /messages/{message_id}/reactions: Invalid emoji code',
  ],
  'the reference server itself says that it cannot be blank': ['POST /saved_snippets: Title cannot be empty.'],
  'there is one role, and no flags that could contradict each other': [
    'PATCH /users/{user_id}: Guests cannot be organization administrators',
    'PATCH /users/{email}: Guests cannot be organization administrators',
  ],
}

export const fieldsNotFilled: Reasons = {
  'the API makes no exports': ['GET /export/realm .exports[]'],
  'no message links to them any more': ['PATCH /messages/{message_id} .detached_uploads[].messages[]'],
  'the package for pictures is not installed': noResizing ? ['POST /register .server_thumbnail_formats[]'] : [],
  'the comparison of declarations says why': [
    'POST /users/me/presence .zephyr_mirror_active',
    'GET /users/{user_id}/status .status.away',
    'POST /register .user_status.*.away',
    'POST /register .demo_organization_scheduled_deletion_date',
    'POST /register .realm_authentication_methods.*.unavailable_reason',
    'POST /register .receives_typing_notifications',
    'POST /register .jitsi_server_url',
    'POST /register .server_generation',
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
  'bots have no defaults of their own, and their pictures stay': [
    'realm_bot/update .bot.default_sending_stream',
    'realm_bot/update .bot.default_events_register_stream',
    'realm_bot/update .bot.default_all_public_streams',
    'realm_bot/update .bot.avatar_url',
  ],
  'there is no such thing here': [
    'POST /register .onboarding_steps[]',
    'POST /register .realm_embedded_bots[]',
    'POST /register .realm_incoming_webhook_bots[]',
    'POST /register .realm_default_stream_groups[]',
    'GET /server_settings .external_authentication_methods[]',
  ],
  'bots of the system have no profile': ['POST /register .cross_realm_bots[].profile_data'],
  'no message links yet to a file that was just uploaded': ['attachment/add .attachment.messages[]'],
  'newcomers have said nothing of themselves yet': ['realm_user/add .person.profile_data.*'],
  'a message that was just sent has no past': [
    'message .message.edit_history',
    'message .message.last_edit_timestamp',
    'message .message.last_moved_timestamp',
    'message .message.reactions[]',
    'message .message.submessages[]',
  ],
  'the reference server needs it for itself': ['update_message_flags/remove .message_details.*.unmuted_stream_msg'],
}

/** Told one by one, in `realm/update`. */
export const emittedOneByOne = /^realm\/update_dict \.data\./
