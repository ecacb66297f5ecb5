import { alertWordEndpoints } from './alert-words/endpoints.ts'
import { botStorageEndpoints } from './bot-storage/endpoints.ts'
import { channelEndpoints } from './channels/endpoints.ts'
import { draftEndpoints } from './drafts/endpoints.ts'
import { groupEndpoints } from './groups/endpoints.ts'
import { type Endpoint, tagged } from './http/endpoint.ts'
import { invitationEndpoints } from './invitations/endpoints.ts'
import { mailEndpoints } from './mail/endpoints/outbox.ts'
import { messageEndpoints } from './messages/endpoints.ts'
import { muteEndpoints } from './mutes/endpoints.ts'
import { organizationEndpoints } from './organizations/endpoints.ts'
import { presenceEndpoints } from './presence/endpoints.ts'
import { profileEndpoints } from './profiles/endpoints.ts'
import { pushTokenEndpoints } from './push-tokens/endpoints.ts'
import { scheduledMessageEndpoints } from './scheduled-messages/endpoints.ts'
import { snippetEndpoints } from './snippets/endpoints.ts'
import { statusEndpoints } from './statuses/endpoints.ts'
import { subscriptionEndpoints } from './subscriptions/endpoints.ts'
import { syncEndpoints } from './sync/endpoints.ts'
import { typingEndpoints } from './typing/endpoints.ts'
import { uploadEndpoints } from './uploads/endpoints.ts'
import { userTopicEndpoints } from './user-topics/endpoints.ts'
import { userEndpoints } from './users/endpoints.ts'
import { webPushEndpoints } from './web-push/endpoints.ts'

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
  ...tagged('Organization', organizationEndpoints),
  ...tagged('Presence', presenceEndpoints),
  ...tagged('Push tokens', pushTokenEndpoints),
  ...tagged('Scheduled messages', scheduledMessageEndpoints),
  ...tagged('Profile fields', profileEndpoints),
  ...tagged('Saved snippets', snippetEndpoints),
  ...tagged('Statuses', statusEndpoints),
  ...tagged('Subscriptions', subscriptionEndpoints),
  ...tagged('Events', syncEndpoints),
  ...tagged('Typing', typingEndpoints),
  ...tagged('Uploads', uploadEndpoints),
  ...tagged('Users', userEndpoints),
  ...tagged('User topics', userTopicEndpoints),
  ...tagged('Web push', webPushEndpoints),
] satisfies readonly Endpoint[]

type Declared = NonNullable<(typeof api)[number]['declared']>

/** Every route with the types of its parameters and of its answer. */
export type Api = { [Declaration in Declared as Declaration['route']]: Declaration }
