import type { Part } from './part.ts'
import { botPart } from './parts/bots.ts'
import { channelPart } from './parts/channels.ts'
import { groupPart } from './parts/groups.ts'
import { messagePart } from './parts/messages.ts'
import { nothingPart } from './parts/nothing.ts'
import { organizationPart } from './parts/organization.ts'
import { peoplePart } from './parts/people.ts'
import { personalPart } from './parts/personal.ts'
import { profilePart } from './parts/profiles.ts'
import { realmPart } from './parts/realm.ts'
import { scheduledMessagePart } from './parts/scheduled-messages.ts'
import { settingsPart } from './parts/settings.ts'
import { statusPart } from './parts/statuses.ts'
import { unreadPart } from './parts/unread.ts'
import { userTopicPart } from './parts/user-topics.ts'

/** All that the client knows to do about events. */
export const parts: readonly Part[] = [
  nothingPart,
  realmPart,
  organizationPart,
  groupPart,
  peoplePart,
  profilePart,
  botPart,
  statusPart,
  settingsPart,
  // Before what of them is muted changes.
  unreadPart,
  channelPart,
  messagePart,
  userTopicPart,
  personalPart,
  scheduledMessagePart,
]
