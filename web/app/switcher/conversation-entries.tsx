import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useSelector } from '@tanstack/react-store'
import Users from 'lucide-react/icons/users'
import { type ReactNode, useMemo } from 'react'
import { isResolved } from '#rules/topics.ts'
import { requestCompose, requestComposeOnNextPage } from '../../browser/compose-requests.ts'
import { sortedChannels } from '../../channels/channel.ts'
import { indexOfPeople } from '../../composer/mention-suggestions.tsx'
import {
  directConversations,
  type RecentConversation,
  recentConversations,
  recentMessages,
} from '../../messages/conversations.ts'
import { type ConversationRef, type Narrow, topicTitle } from '../../messages/narrow.ts'
import { conversationKey, type unreadCounts, unreadStore, useUnreadCounts } from '../../messages/unread.ts'
import { ChannelIcon } from '../../navigation/conversation-name.tsx'
import { toLocation, useCurrentNarrow } from '../../navigation/narrow-location.ts'
import { DirectIcon } from '../../people/person-icon.tsx'
import { groupName } from '../../picking/group.ts'
import { type Person, type Subscription, subscriptionsById, useOrganization } from '../../store/organization.ts'
import { namesakeDetail, useConversationName, withOwnLast } from '../../store/people.ts'
import { t } from '../../text/t.ts'
import { rank, toSearchIndex } from '../../ui/rank.ts'
import { Time } from '../../ui/time.tsx'
import { TOUCH, useMedia } from '../../ui/use-media.ts'
import type { Entry } from './entries.ts'

/**
 * Returns a function that opens the page of a narrow. Users who choose people want to write to them, so the compose box
 * of direct messages gets the focus, except on touch screens, whose keyboard would hide the messages.
 */
function useOpenNarrow(): (narrow: Narrow) => void {
  const navigate = useNavigate()
  const current = useCurrentNarrow()
  const isTouch = useMedia(TOUCH)
  return (narrow) => {
    if (narrow.kind === 'direct' && !isTouch) {
      const request = { text: '', isFocusOnly: true, conversation: narrow }
      if (JSON.stringify(narrow) === JSON.stringify(current)) return void requestCompose(request)
      requestComposeOnNextPage(request)
    }
    void navigate(toLocation(narrow))
  }
}

/** The maximum number of conversations in a list. */
const MAX_SHOWN = 7

/** The maximum number of direct message conversations with several people that a query finds. */
const MAX_DIRECT = 3

/** A channel, or a conversation. `at` is the time of the newest message in UNIX seconds; null if it is unknown. */
type Target = { readonly narrow: Narrow; readonly name: string; readonly at: number | null }

type Counts = ReturnType<typeof unreadCounts.get>

/**
 * Returns functions that list channels and conversations. `latest` returns the latest conversations except the current
 * one, those with unread messages first. `inChannels` finds channels and topics by name, and `direct` finds direct
 * message conversations with several people.
 */
export function useConversationEntries(): {
  latest: () => Entry[]
  inChannels: (query: string) => Entry[]
  direct: (query: string) => Entry[]
} {
  const { subscriptions } = useOrganization('subscriptions')
  const counts = useUnreadCounts()
  const nameOf = useConversationName()
  const open = useOpenNarrow()
  const recent = useRecentConversations()
  const current = useCurrentNarrow()
  const known = subscriptionsById(subscriptions)

  const [latest, inChannels, direct] = useMemo(() => {
    const channels = sortedChannels(subscriptions).map(
      ({ stream_id, name }): Target => ({ narrow: { kind: 'channel', channelId: stream_id }, name, at: null }),
    )
    const conversations = recent
      .filter(({ conversation: ref }) => ref.kind === 'direct' || known.has(ref.channelId))
      .map(({ conversation: ref, at }): Target => {
        const name = ref.kind === 'direct' ? nameOf(ref.people) : topicTitle(ref.topic)
        return { narrow: ref, name, at }
      })
    const topics = conversations.filter(({ narrow }) => narrow.kind !== 'direct')
    // Conversations with one person are left out, because `usePeopleEntries` finds the person.
    const groups = conversations.filter(({ narrow }) => narrow.kind === 'direct' && narrow.people.length > 1)
    return [
      conversations,
      toSearchIndex([...channels, ...topics], (target) => searchedName(target, known)),
      toSearchIndex(groups, ({ name }) => name),
    ]
  }, [subscriptions, recent, known, nameOf])

  const toEntry = ({ narrow, name, at }: Target): Entry => ({
    id: narrow.kind === 'channel' ? `channel ${narrow.channelId}` : conversationKey(narrow as ConversationRef),
    kind: narrow.kind === 'channel' || narrow.kind === 'topic' ? narrow.kind : 'conversation',
    name,
    before: narrow.kind === 'topic' ? known.get(narrow.channelId)?.name : undefined,
    ...(narrow.kind === 'topic' && isResolved(narrow.topic) && { resolved: 'name' }),
    icon: <NarrowIcon narrow={narrow} channels={known} />,
    detail: <UnreadOrTime count={countOf(narrow, counts)} at={at} />,
    run: () => open(narrow),
  })

  return {
    latest() {
      const isHere = ({ narrow }: Target) => current !== null && JSON.stringify(narrow) === JSON.stringify(current)
      const others = latest.filter((target) => !isHere(target))
      const isUnread = ({ narrow }: Target) => countOf(narrow, counts) > 0
      const unreadFirst = [...others.filter(isUnread), ...others.filter((target) => !isUnread(target))]
      return unreadFirst.slice(0, MAX_SHOWN).map(toEntry)
    },
    inChannels: (query) => rank(inChannels, query, MAX_SHOWN).map(toEntry),
    direct: (query) => rank(direct, query, MAX_DIRECT).map(toEntry),
  }
}

/** Returns the latest conversations, newest first, including all unread ones and all direct messages. */
function useRecentConversations(): RecentConversation[] {
  const { data } = useQuery(recentMessages)
  const { user_id } = useOrganization('user_id')
  const direct = useSelector(directConversations)
  const unread = useSelector(unreadStore)
  return useMemo(() => {
    const others = [
      ...[...unread.conversations.values()].map(({ conversation, ids }) => ({
        conversation,
        latestId: ids.at(-1) ?? 0,
      })),
      ...direct.map(({ people, latestId }) => ({ conversation: { kind: 'direct' as const, people }, latestId })),
    ]
    return recentConversations(data?.messages ?? [], others, user_id)
  }, [data, user_id, direct, unread])
}

type Channels = ReadonlyMap<number, Subscription>

/** Returns the text to search. A topic is also found by the name of its channel. */
const searchedName = ({ narrow, name }: Target, channels: Channels): string =>
  narrow.kind === 'topic' ? `${channels.get(narrow.channelId)?.name} ${name}` : name

function countOf(narrow: Narrow, counts: Counts): number {
  if (narrow.kind === 'channel') return counts.channels.get(narrow.channelId)?.messages ?? 0
  return counts.byConversation.get(conversationKey(narrow as ConversationRef))?.messages ?? 0
}

function NarrowIcon({ narrow, channels }: { narrow: Narrow; channels: Channels }): ReactNode {
  if (narrow.kind === 'direct') return <DirectIcon people={narrow.people} />
  const channel = 'channelId' in narrow ? channels.get(narrow.channelId ?? 0) : undefined
  return channel === undefined ? null : <ChannelIcon channel={channel} />
}

function UnreadOrTime({ count, at }: { count: number; at: number | null }): ReactNode {
  if (count > 0) return t('{count} unread', { count })
  return at === null ? null : <Time at={at} as="short" />
}

const MAX_PEOPLE = 6
const MAX_GROUPS = 3

/** Returns functions that find active people and groups. The user comes last among the people. Choosing a person opens the direct messages with them. */
export function usePeopleEntries(): { people: (query: string) => Entry[]; groups: (query: string) => Entry[] } {
  const {
    realm_users,
    realm_user_groups,
    user_id: ownId,
  } = useOrganization('realm_users', 'realm_user_groups', 'user_id')
  const navigate = useNavigate()
  const open = useOpenNarrow()
  const direct = useSelector(directConversations)
  const partners = useMemo(() => new Set(direct.flatMap(({ people }) => people)), [direct])
  const groups = useMemo(() => {
    const active = realm_user_groups.filter((group) => !group.is_system_group && !group.deactivated)
    return toSearchIndex(active, groupName)
  }, [realm_user_groups])

  return {
    people: (query) => {
      const weightOf = ({ user_id }: Person) => (partners.has(user_id) ? -1 : 0)
      const found = rank(indexOfPeople(realm_users), query, MAX_PEOPLE, weightOf)
      return withOwnLast(found, ownId).map((person) => ({
        id: `person ${person.user_id}`,
        kind: 'person',
        name: person.user_id === ownId ? t('{name} (you)', { name: person.full_name }) : person.full_name,
        icon: <DirectIcon people={[person.user_id]} />,
        detail: namesakeDetail(person, realm_users),
        run: () => open({ kind: 'direct', people: [person.user_id] }),
      }))
    },
    groups: (query) =>
      rank(groups, query, MAX_GROUPS).map((group) => ({
        id: `group ${group.id}`,
        kind: 'group',
        name: groupName(group),
        icon: <Users className="icon" aria-hidden="true" />,
        detail: t('Group'),
        run: () =>
          void navigate({
            to: '/organization/$section',
            params: { section: 'groups' },
            search: { group: group.id },
          }),
      })),
  }
}
