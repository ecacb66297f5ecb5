import { accountEndpoints } from '#accounts/endpoints.ts'
import { userTopicEndpoints } from '#channels/endpoints.ts'
import { directoryEndpoints } from '#directories/endpoints.ts'
import { eventEndpoints } from '#events/endpoints.ts'
import { type Endpoint, tagged } from '#http/endpoint.ts'
import { callEndpoints } from '#integrations/calls.ts'
import { integrationEndpoints } from '#integrations/endpoints.ts'
import { gifEndpoints } from '#integrations/gifs.ts'
import { invitationEndpoints } from '#invitations/endpoints.ts'
import { mailInEndpoints } from '#mail-in/endpoints.ts'
import { draftEndpoints } from '#messages/drafts.ts'
import { messageEndpoints, scheduledMessageEndpoints, typingEndpoints, uploadEndpoints } from '#messages/endpoints.ts'
import { snippetEndpoints } from '#messages/snippets.ts'
import { healthEndpoints } from '#monitoring/health.ts'
import { outgoingDeliveryEndpoints } from '#notifications/delivery-log.ts'
import { pushTokenEndpoints, webPushEndpoints } from '#notifications/push.ts'
import { organizationEndpoints } from '#organizations/endpoints.ts'
import { presenceEndpoints } from '#presence/endpoints.ts'
import { dataExportEndpoints } from '#transfer/data-exports.ts'
import { personalDataEndpoints } from '#transfer/personal-data.ts'
import { mailEndpoints } from '#workflows/email-catalogue.ts'
import { channelEndpoints, groupEndpoints, subscriptionEndpoints } from '#workflows/endpoints.ts'
import { erasureEndpoints } from '#workflows/erase-user.ts'
import { fetchApiKey } from '#workflows/fetch-api-key.ts'

/** All endpoints. Routing, the OpenAPI document and the checks of the tests derive from this list. */
export const api = [
  ...tagged('Calls', callEndpoints),
  ...tagged('Channels', [...channelEndpoints, ...mailInEndpoints]),
  ...tagged('Directories', directoryEndpoints),
  ...tagged('Drafts', draftEndpoints),
  ...tagged('GIFs', gifEndpoints),
  ...tagged('User groups', groupEndpoints),
  ...tagged('Integrations', [...integrationEndpoints, ...outgoingDeliveryEndpoints]),
  ...tagged('Invitations', invitationEndpoints),
  ...tagged('Health', healthEndpoints),
  ...tagged('Mail', mailEndpoints),
  ...tagged('Messages', messageEndpoints),
  ...tagged('Organization', [...organizationEndpoints, ...dataExportEndpoints, ...personalDataEndpoints]),
  ...tagged('Presence', presenceEndpoints),
  ...tagged('Push tokens', pushTokenEndpoints),
  ...tagged('Scheduled messages', scheduledMessageEndpoints),
  ...tagged('Saved snippets', snippetEndpoints),
  ...tagged('Subscriptions', subscriptionEndpoints),
  ...tagged('Events', eventEndpoints),
  ...tagged('Typing', typingEndpoints),
  ...tagged('Uploads', uploadEndpoints),
  ...accountEndpoints,
  ...tagged('Users', [fetchApiKey, ...erasureEndpoints]),
  ...tagged('User topics', userTopicEndpoints),
  ...tagged('Web push', webPushEndpoints),
] satisfies readonly Endpoint[]

type Declared = NonNullable<(typeof api)[number]['declared']>

/** All routes with the types of their parameters and responses. */
export type Api = { [Declaration in Declared as Declaration['route']]: Declaration }
