import { belongingActions } from './actions/belongings.ts'
import { botActions } from './actions/bots.ts'
import { channelActions } from './actions/channels.ts'
import { groupActions } from './actions/groups.ts'
import { messageActions } from './actions/messages.ts'
import { organizationActions } from './actions/organization.ts'
import { peopleActions } from './actions/people.ts'
import { personalActions } from './actions/personal.ts'
import { profileActions } from './actions/profiles.ts'
import { scheduledMessageActions } from './actions/scheduled-messages.ts'
import { subscriptionActions } from './actions/subscriptions.ts'
import type { Action } from './world.ts'

/** All actions by name, such as `messages.say`. */
export const actions: Readonly<Record<string, Action>> = Object.fromEntries(
  Object.entries({
    messages: messageActions,
    channels: channelActions,
    subscriptions: subscriptionActions,
    people: peopleActions,
    bots: botActions,
    groups: groupActions,
    organization: organizationActions,
    belongings: belongingActions,
    personal: personalActions,
    profiles: profileActions,
    scheduled: scheduledMessageActions,
  }).flatMap(([kind, ofKind]) => Object.entries(ofKind).map(([name, deed]) => [`${kind}.${name}`, deed])),
)
