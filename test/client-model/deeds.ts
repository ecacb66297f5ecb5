import { belongingDeeds } from './deeds/belongings.ts'
import { botDeeds } from './deeds/bots.ts'
import { channelDeeds } from './deeds/channels.ts'
import { groupDeeds } from './deeds/groups.ts'
import { messageDeeds } from './deeds/messages.ts'
import { organizationDeeds } from './deeds/organization.ts'
import { peopleDeeds } from './deeds/people.ts'
import { personalDeeds } from './deeds/personal.ts'
import { profileDeeds } from './deeds/profiles.ts'
import { scheduledMessageDeeds } from './deeds/scheduled-messages.ts'
import { subscriptionDeeds } from './deeds/subscriptions.ts'
import type { Deed } from './world.ts'

/** All that can be done, by name: `messages.say`. */
export const deeds: Readonly<Record<string, Deed>> = Object.fromEntries(
  Object.entries({
    messages: messageDeeds,
    channels: channelDeeds,
    subscriptions: subscriptionDeeds,
    people: peopleDeeds,
    bots: botDeeds,
    groups: groupDeeds,
    organization: organizationDeeds,
    belongings: belongingDeeds,
    personal: personalDeeds,
    profiles: profileDeeds,
    scheduled: scheduledMessageDeeds,
  }).flatMap(([kind, ofKind]) => Object.entries(ofKind).map(([name, deed]) => [`${kind}.${name}`, deed])),
)
