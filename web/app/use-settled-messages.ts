import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { type ConversationRef, type Narrow, topicTitle } from '../messages/narrow.ts'
import type { OutgoingMessage } from '../messages/outgoing.ts'
import { onOutgoingSettled, onOutgoingWritten } from '../messages/send-outgoing.ts'
import { conversationKey } from '../messages/unread.ts'
import { readNarrow, toLocation } from '../navigation/narrow-location.ts'
import { currentOrganization, findChannel } from '../store/organization.ts'
import { conversationName, peopleFinder } from '../store/people.ts'
import { t } from '../text/t.ts'
import { showToast } from '../ui/toasts.ts'

/**
 * Opens the conversation to which the user has sent a message, unless the page shows it already. Shows a toast instead
 * if the user has since left the page or prefers to stay, or if the message could not be sent.
 */
export function useSettledMessages(): void {
  const router = useRouter()
  useEffect(() => {
    const narrowOfPage = () => readNarrow(router.state.location.pathname, router.state.location.search)
    /** The narrow of the page on which each message was written, by the message's local id. */
    const written = new Map<string, Narrow | null>()
    const stopWritten = onOutgoingWritten(({ localId }) => written.set(localId, narrowOfPage()))
    const stopSettled = onOutgoingSettled((message) => {
      const { localId, conversation, sentId, failure } = message
      const from = written.get(localId) ?? null
      const narrow = narrowOfPage()
      written.delete(localId)
      if (shows(narrow, conversation)) return
      // A sent message needs no confirmation on a page without messages, or if it was written in its conversation.
      if (failure === null && (narrow === null || shows(from, conversation))) return
      const location = toLocation(conversation, sentId ?? undefined)
      const href = router.buildLocation(location).href
      const link = { text: t('View'), href, open: () => void router.navigate(location) }
      const isSamePage = JSON.stringify(narrow) === JSON.stringify(from)
      if (failure === null && isSamePage && goesToSent() && !isWriting()) void router.navigate(location)
      else if (failure === null) showToast(sentText(message), { link })
      else showToast(t('Couldn’t send your message. {failure}', { failure }), { kind: 'error', link })
    })
    return () => {
      stopWritten()
      stopSettled()
    }
  }, [router])
}

/** Returns true if the narrow is the conversation or its channel, so that the user sees the message arrive. */
function shows(narrow: Narrow | null, conversation: ConversationRef): boolean {
  if (narrow?.kind === 'topic' || narrow?.kind === 'direct')
    return conversationKey(narrow) === conversationKey(conversation)
  return narrow?.kind === 'channel' && conversation.kind === 'topic' && narrow.channelId === conversation.channelId
}

const goesToSent = () => currentOrganization()?.user_settings.web_navigate_to_sent_message === true

/** Returns true if a field with text has the focus, so that the user may be writing something else. */
const isWriting = () => {
  const field = document.activeElement
  return (field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement) && field.value !== ''
}

function sentText({ conversation }: OutgoingMessage): string {
  if (conversation.kind === 'topic') {
    const name = findChannel(conversation.channelId)?.name ?? ''
    const destination = t('#{channel} › {topic}', { channel: name, topic: topicTitle(conversation.topic) })
    return t('Sent to {destination}.', { destination })
  }
  const organization = currentOrganization()
  if (organization === undefined) return ''
  const { realm_users: users, user_id: ownId } = organization
  const destination = conversationName({ find: peopleFinder(organization), users, ownId }, conversation.people)
  return t('Sent to {destination}.', { destination })
}
