import type { z } from 'zod'
import { channelSlice, defaultChannelSlice, subscriptionSlice } from './channels.ts'
import { emptySlices } from './empty-slices.ts'
import { legacyPoliciesSlice } from './legacy-policies.ts'
import { messageSlice, recentConversationsSlice, starredMessagesSlice } from './messages.ts'
import { mutedUserSlice } from './mutes.ts'
import { domainSlice, emojiSlice, groupSlice, linkifierSlice, playgroundSlice } from './organization.ts'
import { botSlice, ownAccountSlice, peopleSlice } from './people.ts'
import { permissionSettingsSlice } from './permission-settings.ts'
import { alertWordSlice, draftSlice, scheduledMessageSlice, snippetSlice } from './personal.ts'
import { presenceSlice } from './presence.ts'
import { profileFieldSlice } from './profile-fields.ts'
import { realmSettingsSlice, realmSlice } from './realm.ts'
import { serverSlice } from './server.ts'
import type { StateScope, StateSlice } from './slice.ts'
import { statusSlice } from './statuses.ts'
import { unreadMessagesSlice } from './unread-messages.ts'
import { defaultSettingsSlice, legacySettingsSlices, userSettingsSlice } from './user-settings.ts'
import { mutedTopicSlice, userTopicSlice } from './user-topics.ts'

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
  snippetSlice,
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
