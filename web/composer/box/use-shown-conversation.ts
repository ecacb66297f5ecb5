import { useEffect, useRef, useState } from 'react'
import type { ComposeRequest } from '../../browser/compose-requests.ts'
import { idOfRow, readingArea, shownTimeline, wholeRowsFromEnd } from '../../message-view/row-elements.ts'
import { findMessage } from '../../messages/messages.ts'
import { type ConversationRef, conversationOf, toParticipants } from '../../messages/narrow.ts'
import { conversationKey } from '../../messages/unread.ts'
import { currentOrganization, useOrganizationPart } from '../../store/organization.ts'
import type { ComposerPage, Destination } from '../destination.ts'
import { postingProblem } from '../posting-rights.ts'

/**
 * Returns the conversation of the message that the user has selected in a feed, or else of the message above the
 * compose box; null until there is one, and if `isOn` is false. While `isHeld` is true, because the user is writing,
 * the conversation stays the same.
 */
function useShownConversation({ isOn, isHeld }: { isOn: boolean; isHeld: boolean }): ConversationRef | null {
  const [shown, show] = useState<ConversationRef | null>(null)
  const known = useRef<ConversationRef | null>(null)
  useEffect(() => {
    if (!isOn) return
    return followTimeline((list, selected) => {
      if (isHeld && known.current !== null) return
      const found = conversationIn(list, selected)
      if (found === null || (known.current !== null && conversationKey(known.current) === conversationKey(found)))
        return
      known.current = found
      show(found)
    })
  }, [isOn, isHeld])
  return isOn ? shown : null
}

/**
 * Calls `read` now, and when the user scrolls the timeline, selects a message or gets new ones. `selected` is the row
 * that had the focus last, while it is visible. Returns a function that stops this.
 */
function followTimeline(read: (list: HTMLElement, selected: HTMLElement | null) => void): () => void {
  const end = new AbortController()
  let frame = 0
  let selected: HTMLElement | null = null

  function readNow() {
    frame = 0
    const list = shownTimeline()
    if (list === null) return
    const row = document.activeElement?.closest<HTMLElement>('.timeline [data-message]')
    selected = row ?? selected
    if (selected !== null && !isVisible(list, selected)) selected = null
    read(list, selected)
  }

  const readSoon = () => {
    if (frame === 0) frame = requestAnimationFrame(readNow)
  }
  document.addEventListener('scroll', readSoon, { capture: true, passive: true, signal: end.signal })
  document.addEventListener('focusin', readSoon, { signal: end.signal })
  const observer = new MutationObserver(readSoon)
  const page = document.querySelector('.chat-page')
  if (page !== null) observer.observe(page, { childList: true, subtree: true })
  readSoon()
  return () => {
    end.abort()
    observer.disconnect()
    cancelAnimationFrame(frame)
  }
}

function isVisible(list: HTMLElement, row: HTMLElement): boolean {
  const area = readingArea(list)
  const { top, bottom } = row.getBoundingClientRect()
  return row.isConnected && bottom > area.top && top < area.bottom
}

/** Returns the conversation of the selected row, or else of the last visible message that a person wrote. */
function conversationIn(list: HTMLElement, selected: HTMLElement | null): ConversationRef | null {
  const organization = currentOrganization()
  if (organization === undefined) return null
  const { user_id, cross_realm_bots } = organization
  for (const row of selected === null ? wholeRowsFromEnd(list) : [selected]) {
    const message = findMessage(idOfRow(row))
    const isOfBot = cross_realm_bots.some((bot) => bot.user_id === message?.sender_id)
    if (message !== undefined && (selected !== null || !isOfBot)) return conversationOf(message, user_id)
  }
  return null
}

/** Returns the page with the conversation that its feed shows, to which messages go. */
export function useAimedPage(page: ComposerPage, isHeld: boolean): ComposerPage {
  const isFeed = page.kind === 'channel' || (page.kind === 'any' && !page.isNew)
  const shown = useShownConversation({ isOn: isFeed, isHeld })
  const mayPost = useOrganizationPart(
    (organization) =>
      shown !== null &&
      postingProblem(organization, shown.kind === 'direct' ? shown : { ...shown, kind: 'channel' }) === null,
  )
  if (shown === null) return page
  if (page.kind === 'any') return mayPost ? { ...page, suggested: shown } : page
  if (page.kind !== 'channel' || shown.kind !== 'topic' || shown.channelId !== page.channelId) return page
  return { ...page, suggestedTopic: shown.topic }
}

/** Returns true if the compose box of the page handles the request. */
export function takesRequest(page: ComposerPage, { conversation }: ComposeRequest, ownId: number): boolean {
  if (page.kind === 'any') return true
  if (page.kind === 'direct')
    return 'people' in conversation && String(toParticipants(conversation.people, ownId)) === String(page.people)
  return 'channelId' in conversation && conversation.channelId === page.channelId
}

/** Returns the recipients that a request names. */
export const toDestination = ({ conversation }: ComposeRequest): Destination =>
  'people' in conversation
    ? { kind: 'direct', people: conversation.people }
    : { kind: 'channel', channelId: conversation.channelId, topic: conversation.topic ?? '' }
