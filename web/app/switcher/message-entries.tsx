import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import Search from 'lucide-react/icons/search'
import { type ReactNode, useEffect, useState } from 'react'
import { plainName } from '#rules/plain-name.ts'
import { isResolved } from '#rules/topics.ts'
import { type Message, messageText } from '../../messages/message.ts'
import { fetchRange } from '../../messages/messages.ts'
import { conversationOf, topicTitle } from '../../messages/narrow.ts'
import { parseSearch } from '../../messages/search-query.ts'
import { toLocation } from '../../navigation/narrow-location.ts'
import { useOwnId, useSubscription } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Time } from '../../ui/time.tsx'
import type { Entry } from './entries.ts'

const MAX_SHOWN = 3

/** The minimum length of a query that searches messages, in characters. */
const MIN_LENGTH = 2

/** The time after the last keystroke before messages are searched, in milliseconds. */
const DELAY = 200

/** The maximum number of characters that are shown before the first match. */
const LEAD = 30

/** Returns the newest messages that contain the words, and an entry that opens all results. */
export function useMessageEntries(words: string, isSearched: boolean): Entry[] {
  const navigate = useNavigate()
  const ownId = useOwnId()
  const settled = useSettled(words)
  const { data } = useQuery({
    queryKey: ['switcher', settled],
    queryFn: ({ signal }) => fetchRange({ kind: 'search', query: toSearch(settled) }, 'newest', MAX_SHOWN, 0, signal),
    // The switcher does not find the people and channels that filters name. The search page does.
    enabled: isSearched && settled.length >= MIN_LENGTH && parseSearch(settled).filters.length === 0,
    staleTime: 10_000,
    gcTime: 10_000,
  })
  if (!isSearched || words === '') return []
  const found = settled === words ? (data?.messages ?? []) : []
  return [
    {
      id: 'search',
      kind: 'message',
      name: t('Search messages for “{words}”', { words }),
      icon: <Search className="icon" aria-hidden="true" />,
      run: () => void navigate(toLocation({ kind: 'search', query: words })),
    },
    ...found.toReversed().map((message) => ({
      id: `message ${message.id}`,
      kind: 'message' as const,
      name: excerpt(messageText(message), words),
      before: message.type === 'stream' ? topicTitle(message.subject) : undefined,
      ...(isResolved(message.subject) && { resolved: 'before' as const }),
      icon: <Avatar id={message.sender_id} name={message.sender_full_name} url={message.avatar_url ?? null} />,
      detail: <Origin message={message} />,
      run: () => void navigate(toLocation(conversationOf(message, ownId), message.id)),
    })),
  ]
}

/** Returns the query with its last word as a prefix, since the user may still be typing it. */
const toSearch = (words: string): string => (/[\p{L}\p{N}]$/u.test(words) ? `${words}*` : words)

/** Returns the value once it has not changed for `DELAY` milliseconds. */
function useSettled(value: string): string {
  const [settled, settle] = useState(value)
  useEffect(() => {
    const timer = setTimeout(settle, DELAY, value)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}

/** Returns the text from at most `LEAD` characters before the first word of the query. */
function excerpt(text: string, words: string): string {
  const first = plainName(words).split(/\s+/)[0] ?? ''
  const at = plainName(text).indexOf(first)
  return at > LEAD ? `…${text.slice(at - LEAD)}` : text
}

/** The conversation and the time of a message. */
function Origin({ message }: { message: Message }): ReactNode {
  const channel = useSubscription(message.stream_id ?? 0)
  return (
    <>
      {channel !== undefined && `#${channel.name} · `}
      <Time at={message.timestamp} as="short" />
    </>
  )
}
