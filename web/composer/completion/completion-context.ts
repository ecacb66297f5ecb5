import { directConversations } from '../../messages/conversations.ts'
import { cachedMessages } from '../../messages/messages.ts'
import { isSameTopic } from '../../messages/narrow.ts'
import type { Organization, Person } from '../../store/organization.ts'
import { presenceNow } from '../../store/presence.ts'
import { queryClient } from '../../store/query-client.ts'
import { channelSubscribers } from '../../store/subscribers.ts'
import type { PresenceKind } from '../../ui/avatar.tsx'
import { clockFormat, type TimeFormat, timeFormat } from '../../ui/moments.ts'
import type { Destination } from '../destination.ts'

/** The facts that decide which suggestions come first. */
export type CompletionContext = {
  readonly organization: Organization
  readonly destination: Destination
  /** The name of the destination's channel. */
  readonly channelName: string | undefined
  /** The subscribers of the channel; undefined if they are not known yet. */
  readonly subscribers: ReadonlySet<number> | undefined
  /** Users who take part in the conversation. */
  readonly members: ReadonlySet<number>
  /** Users with whom the user has recently exchanged direct messages. */
  readonly partners: ReadonlySet<number>
  /** Returns a user's presence; undefined if the organization disables presence. */
  readonly presenceOf: (userId: number) => PresenceKind | undefined
  /** Returns the time where the person is, if it differs from the user's own. */
  readonly localTimeOf: (person: Person) => string
}

/** The number of latest direct message conversations whose members count as recent partners. */
const RECENT = 20

export function completionContext(organization: Organization, destination: Destination): CompletionContext {
  const channelId = destination.kind === 'channel' ? destination.channelId : null
  const ids =
    channelId === null ? undefined : queryClient.getQueryData<number[]>(channelSubscribers(channelId).queryKey)
  const { user_id, subscriptions } = organization
  const recent = directConversations.get().slice(0, RECENT)
  return {
    organization,
    destination,
    channelName: subscriptions.find(({ stream_id }) => stream_id === channelId)?.name,
    subscribers: ids && new Set(ids),
    members: membersOfConversation(destination, user_id),
    partners: new Set(recent.flatMap(({ people }) => people)),
    presenceOf: (id) => presenceNow(id)?.kind,
    localTimeOf: localTimes(Date.now()),
  }
}

function membersOfConversation(destination: Destination, ownId: number): Set<number> {
  const people =
    destination.kind === 'direct'
      ? destination.people
      : cachedMessages((narrow) => 'channelId' in narrow && narrow.channelId === destination.channelId)
          .filter(({ subject }) => isSameTopic(subject, destination.topic))
          .map(({ sender_id }) => sender_id)
  return new Set(people.filter((id) => id !== ownId))
}

const formats = new Map<string, (() => TimeFormat) | null>()

/** Returns a function that returns the time format of a time zone; null if the time zone is unknown. */
function clockIn(timeZone: string): (() => TimeFormat) | null {
  if (!formats.has(timeZone)) {
    try {
      const format = timeFormat({ timeStyle: 'short', timeZone })
      format()
      formats.set(timeZone, format)
    } catch {
      formats.set(timeZone, null)
    }
  }
  return formats.get(timeZone) ?? null
}

function localTimes(now: number): (person: Person) => string {
  const own = clockFormat().format(now)
  return ({ timezone, is_bot }) => {
    const there = timezone === '' || is_bot ? undefined : clockIn(timezone)?.().format(now)
    return there === undefined || there === own ? '' : there
  }
}
