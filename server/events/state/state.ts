import type { z } from 'zod'
import { channelSlice, defaultChannelSlice, mutedTopicSlice, subscriptionSlice, userTopicSlice } from './channels.ts'
import { messageSlice, recentConversationsSlice, starredMessagesSlice, unreadMessagesSlice } from './messages.ts'
import { botSlice, mutedUserSlice, ownAccountSlice, peopleSlice, presenceSlice, statusSlice } from './people.ts'
import { legacyPoliciesSlice, permissionSettingsSlice } from './permissions.ts'
import {
  alertWordSlice,
  defaultSettingsSlice,
  draftSlice,
  legacySettingsSlices,
  reminderSlice,
  scheduledMessageSlice,
  snippetSlice,
  userSettingsSlice,
  zoomSlice,
} from './personal.ts'
import {
  domainSlice,
  emojiSlice,
  groupSlice,
  linkifierSlice,
  playgroundSlice,
  profileFieldSlice,
  realmSettingsSlice,
  realmSlice,
} from './realm.ts'
import { serverSlice } from './server.ts'
import { emptySlices, type StateScope, type StateSlice } from './slice.ts'

const slices = [
  realmSlice,
  realmSettingsSlice,
  legacyPoliciesSlice,
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
  ...legacySettingsSlices,
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
  reminderSlice,
  snippetSlice,
  zoomSlice,
  ...emptySlices,
] satisfies readonly StateSlice[]

type EachSlice = (typeof slices)[number]

/** An event type whose state clients can fetch. */
export type StateType = EachSlice['types'][number]

/**
 * The fields that a client gets with these event types, as a union over the slices. Slices whose field names the
 * compiler does not know are left out.
 */
type FieldsOf<Type, Each = EachSlice> =
  Each extends StateSlice<infer Types, infer Returns>
    ? [Types[number]] extends [Type]
      ? string extends keyof Returns
        ? never
        : Returns
      : never
    : never

type NamesOf<Each> = Each extends unknown ? keyof Each : never

type FieldOf<All, Name extends PropertyKey> = Extract<All, { [Same in Name]: z.ZodType }>[Name]

/** The state that a client fetches with these event types. */
export type StateOf<Type> = { [Name in NamesOf<FieldsOf<Type>>]: z.output<FieldOf<FieldsOf<Type>, Name>> }

/** The fields of all slices. All are optional, because each depends on the event types that a client requests. */
type StateFields = { [Name in NamesOf<FieldsOf<string>>]: z.ZodOptional<FieldOf<FieldsOf<string>, Name>> }

/** All fields that a state can have. */
export const stateFields = Object.fromEntries(
  slices.flatMap(({ returns }) => Object.entries(returns).map(([name, type]) => [name, type.optional()])),
) as StateFields

/** Returns the slices of the state that the client asked for. */
export async function fetchState(scope: StateScope): Promise<Record<string, unknown>> {
  const state: Record<string, unknown> = {}
  for (const { types, fetch } of slices) {
    if (types.every(scope.wants)) Object.assign(state, await fetch(scope))
  }
  return state
}
