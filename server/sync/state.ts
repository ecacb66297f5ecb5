import type { z } from 'zod'
import { channelSlice, defaultChannelSlice, subscriptionSlice } from './state/channels.ts'
import { messageSlice, recentConversationsSlice, starredMessagesSlice } from './state/messages.ts'
import { mutedUserSlice } from './state/mutes.ts'
import { emptySlices } from './state/nothing-yet.ts'
import { olderPoliciesSlice } from './state/older-policies.ts'
import { domainSlice, emojiSlice, groupSlice, linkifierSlice, playgroundSlice } from './state/organization.ts'
import { botSlice, ownAccountSlice, peopleSlice } from './state/people.ts'
import { permissionSettingsSlice } from './state/permission-settings.ts'
import { alertWordSlice, draftSlice, scheduledMessageSlice, snippetSlice } from './state/personal.ts'
import { presenceSlice } from './state/presence.ts'
import { profileFieldSlice } from './state/profile-fields.ts'
import { realmSettingsSlice, realmSlice } from './state/realm.ts'
import { serverSlice } from './state/server.ts'
import type { Slice, StateScope } from './state/slice.ts'
import { statusSlice } from './state/statuses.ts'
import { unreadMessagesSlice } from './state/unread-messages.ts'
import { defaultSettingsSlice, olderSettingsSlices, userSettingsSlice } from './state/user-settings.ts'
import { mutedTopicSlice, userTopicSlice } from './state/user-topics.ts'

const slices = [
  realmSlice,
  realmSettingsSlice,
  olderPoliciesSlice,
  permissionSettingsSlice,
  serverSlice,
  domainSlice,
  emojiSlice,
  linkifierSlice,
  playgroundSlice,
  profileFieldSlice,
  groupSlice,
  ownAccountSlice,
  peopleSlice,
  botSlice,
  userSettingsSlice,
  defaultSettingsSlice,
  ...olderSettingsSlices,
  channelSlice,
  subscriptionSlice,
  defaultChannelSlice,
  messageSlice,
  unreadMessagesSlice,
  starredMessagesSlice,
  recentConversationsSlice,
  presenceSlice,
  statusSlice,
  mutedUserSlice,
  userTopicSlice,
  mutedTopicSlice,
  alertWordSlice,
  draftSlice,
  scheduledMessageSlice,
  snippetSlice,
  ...emptySlices,
] satisfies readonly Slice[]

type EachField<Each> = Each extends Slice<infer Returns> ? (string extends keyof Returns ? never : Returns) : never

type FieldNames<Each> = Each extends unknown ? keyof Each : never

/** The fields of all slices that name theirs one by one. */
type StateFields<All> = {
  [Name in FieldNames<All>]: z.ZodOptional<Extract<All, { [Same in Name]: z.ZodType }>[Name]>
}

/** Every field that the state can have. */
export const stateFields = Object.fromEntries(
  slices.flatMap(({ returns }) => Object.entries(returns).map(([name, type]) => [name, type.optional()])),
) as StateFields<EachField<(typeof slices)[number]>>

/** As much of the state as is asked for. */
export async function fetchState(scope: StateScope): Promise<Record<string, unknown>> {
  const state: Record<string, unknown> = {}
  for (const { types, fetch } of slices) {
    if (types.every(scope.wants)) Object.assign(state, await fetch(scope))
  }
  return state
}
