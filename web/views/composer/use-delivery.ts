import { useRouter } from '@tanstack/react-router'
import type { RefObject } from 'react'
import { isSameTopic } from '../../store/messages/narrow.ts'
import { useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { showToast } from '../../ui/feedback/toasts.ts'
import { toLocation } from '../chat/to-location.ts'
import { type ComposerPlace, conversationOfDestination, type Destination } from './destination.ts'
import { useDestinationName } from './destination-name.ts'
import { send, type Target } from './send.ts'
import { useSending } from './use-sending.ts'

/** A message in the compose box; `dueAt` is in UNIX seconds, null for immediately. */
export type Written = { readonly destination: Destination; readonly text: string; readonly dueAt: number | null }

/** Sends the messages of a compose box, and tells where they went if that is not in view. */
export function useDelivery(props: { place: ComposerPlace; key: string; form: RefObject<HTMLFormElement | null> }) {
  const { place, key, form } = props
  const { user_id } = useOrganization()
  const router = useRouter()
  const nameOf = useDestinationName()

  function showDestination(destination: Destination, id: number) {
    const conversation = conversationOfDestination(destination, user_id)
    if (conversation === null || isInView(place, conversation)) return
    const location = toLocation(conversation, id)
    showToast(t('Sent to {destination}.', { destination: nameOf.long(destination) }), {
      link: { text: t('View'), href: router.buildLocation(location).href, open: () => void router.navigate(location) },
    })
  }

  return useSending<Written>({
    place: key,
    deliver: ({ destination, text, dueAt }) => send(targetOf(destination), text, dueAt),
    onSent({ destination }, id) {
      if (id !== null) showDestination(destination, id)
      if (document.activeElement?.matches('body, .composer-send *')) form.current?.querySelector('textarea')?.focus()
    },
  })
}

function targetOf(destination: Destination): Target {
  if (destination.kind === 'direct') return { type: 'direct', to: JSON.stringify(destination.people) }
  return { type: 'channel', to: String(destination.channelId), topic: destination.topic.trim() }
}

function isInView(
  place: ComposerPlace,
  conversation: NonNullable<ReturnType<typeof conversationOfDestination>>,
): boolean {
  if (place.kind === 'any') return false
  if (conversation.kind === 'direct')
    return place.kind === 'direct' && String(place.people) === String(conversation.people)
  if (place.kind === 'direct' || place.channelId !== conversation.channelId) return false
  return place.kind === 'channel' || isSameTopic(place.topic, conversation.topic)
}
