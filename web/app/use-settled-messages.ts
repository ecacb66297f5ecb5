import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { conversationKey } from '../store/messages/unread.ts'
import { findChannel, knownOrganization } from '../store/organization.ts'
import type { OutgoingMessage } from '../store/outgoing/outgoing.ts'
import { onOutgoingSettled } from '../store/outgoing/send-outgoing.ts'
import { peopleFinder } from '../store/people/people.ts'
import { t } from '../text/t.ts'
import { showToast } from '../ui/feedback/toasts.ts'
import { readNarrow } from '../views/chat/current-narrow.ts'
import { toLocation } from '../views/chat/to-location.ts'

/**
 * Goes to the conversation of a message that was sent to another one than that on the page, or shows a toast if the user wants
 * to stay or the message could not be sent.
 */
export function useSettledMessages(): void {
  const router = useRouter()
  useEffect(
    () =>
      onOutgoingSettled((message) => {
        const { conversation, sentId, failure } = message
        const { pathname, search } = router.state.location
        const narrow = readNarrow(pathname, search)
        const isShown = narrow?.kind === 'topic' || narrow?.kind === 'direct' ? conversationKey(narrow) : null
        const isInChannel =
          narrow?.kind === 'channel' && conversation.kind === 'topic' && narrow.channelId === conversation.channelId
        if (isInChannel || isShown === conversationKey(conversation)) return
        // People who only read a list wait for no confirmation.
        if (failure === null && narrow === null) return
        const location = toLocation(conversation, sentId ?? undefined)
        const href = router.buildLocation(location).href
        const link = { text: t('View'), href, open: () => void router.navigate(location) }
        if (failure === null && goesToSent() && !isWriting()) void router.navigate(location)
        else if (failure === null) showToast(sentText(message), { link })
        else showToast(t('Couldn’t send your message. {failure}', { failure }), { kind: 'error', link })
      }),
    [router],
  )
}

const goesToSent = () => knownOrganization()?.user_settings.web_navigate_to_sent_message === true

/** Returns true if the user has begun to write something else meanwhile. */
const isWriting = () => {
  const field = document.activeElement
  return (field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement) && field.value !== ''
}

function sentText({ conversation }: OutgoingMessage): string {
  if (conversation.kind === 'topic') {
    const name = findChannel(conversation.channelId)?.name ?? ''
    const destination = t('#{channel} › {topic}', { channel: name, topic: conversation.topic || t('general chat') })
    return t('Sent to {destination}.', { destination })
  }
  const organization = knownOrganization()
  const nameOf = (id: number) => organization && peopleFinder(organization)(id)?.full_name
  const names = conversation.people.map((id) => nameOf(id) ?? t('Unknown user'))
  return t('Sent to {destination}.', { destination: names.join(', ') })
}
