import { alertWordEndpoints } from '#accounts/endpoints/alert-words.ts'
import { botStorageEndpoints } from '#accounts/endpoints/bot-storage.ts'
import { logOutUser } from '#accounts/endpoints/log-out-user.ts'
import { muteEndpoints } from '#accounts/endpoints/mutes.ts'
import { sessionEndpoints } from '#accounts/endpoints/own-sessions.ts'
import { profileEndpoints } from '#accounts/endpoints/profile.ts'
import { statusEndpoints } from '#accounts/endpoints/statuses.ts'
import { userEndpoints } from '#accounts/endpoints.ts'
import { userTopicEndpoints } from '#channels/user-topics/endpoints.ts'
import { eventEndpoints } from '#events/endpoints.ts'
import { type Endpoint, tagged } from '#http/endpoint.ts'
import { invitationEndpoints } from '#invitations/endpoints.ts'
import { draftEndpoints } from '#messages/drafts/endpoints.ts'
import { messageEndpoints } from '#messages/endpoints.ts'
import { scheduledMessageEndpoints } from '#messages/scheduled-messages/endpoints.ts'
import { snippetEndpoints } from '#messages/snippets/endpoints.ts'
import { typingEndpoints } from '#messages/typing/endpoints.ts'
import { uploadEndpoints } from '#messages/uploads/endpoints.ts'
import { pushTokenEndpoints } from '#notifications/push-tokens/endpoints.ts'
import { webPushEndpoints } from '#notifications/web-push/endpoints.ts'
import { organizationEndpoints } from '#organizations/endpoints.ts'
import { presenceEndpoints } from '#presence/endpoints.ts'
import { dataExportEndpoints } from '#transfer/data-exports/endpoints.ts'
import { channelEndpoints } from '#workflows/channels/endpoints.ts'
import { groupEndpoints } from '#workflows/groups/endpoints.ts'
import { mailEndpoints } from '#workflows/mail/outbox.ts'
import { subscriptionEndpoints } from '#workflows/subscriptions/endpoints.ts'

/** All endpoints. Routing, the OpenAPI document and the checks of the tests derive from this list. */
export const api = [
  ...tagged('Alert words', alertWordEndpoints),
  ...tagged('Bot storage', botStorageEndpoints),
  ...tagged('Channels', channelEndpoints),
  ...tagged('Drafts', draftEndpoints),
  ...tagged('User groups', groupEndpoints),
  ...tagged('Invitations', invitationEndpoints),
  ...tagged('Mail', mailEndpoints),
  ...tagged('Messages', messageEndpoints),
  ...tagged('Muted users', muteEndpoints),
  ...tagged('Organization', [...organizationEndpoints, ...dataExportEndpoints]),
  ...tagged('Presence', presenceEndpoints),
  ...tagged('Push tokens', pushTokenEndpoints),
  ...tagged('Scheduled messages', scheduledMessageEndpoints),
  ...tagged('Profile fields', profileEndpoints),
  ...tagged('Saved snippets', snippetEndpoints),
  ...tagged('Statuses', statusEndpoints),
  ...tagged('Subscriptions', subscriptionEndpoints),
  ...tagged('Events', eventEndpoints),
  ...tagged('Typing', typingEndpoints),
  ...tagged('Uploads', uploadEndpoints),
  ...tagged('Users', [...userEndpoints, ...sessionEndpoints, logOutUser]),
  ...tagged('User topics', userTopicEndpoints),
  ...tagged('Web push', webPushEndpoints),
] satisfies readonly Endpoint[]

type Declared = NonNullable<(typeof api)[number]['declared']>

/** All routes with the types of their parameters and responses. */
export type Api = { [Declaration in Declared as Declaration['route']]: Declaration }
