import type { RefObject } from 'react'
import { emitSent } from '../../store/drafts/drafts.ts'
import { useOwnId } from '../../store/organization.ts'
import { sendMessage } from '../../store/outgoing/send-outgoing.ts'
import { conversationOfDestination, type Destination } from './destination.ts'
import { schedule, type Target } from './schedule.ts'
import { useScheduling } from './use-scheduling.ts'

/** A message in the compose box; `dueAt` is in UNIX seconds, null for immediately. */
type Written = { readonly destination: Destination; readonly text: string; readonly dueAt: number | null }

type Delivery = { submit: (message: Written) => void; isPending: boolean; error: unknown }

/** Sends the messages of a compose box, which can take the next one immediately, or schedules them. */
export function useDelivery(props: { key: string; form: RefObject<HTMLFormElement | null> }): Delivery {
  const { key, form } = props
  const ownId = useOwnId()
  const focusText = () => {
    if (document.activeElement?.matches('body, .composer-send *')) form.current?.querySelector('textarea')?.focus()
  }
  const scheduling = useScheduling<{ destination: Destination; text: string; dueAt: number }>({
    draftKey: key,
    schedule: ({ destination, text, dueAt }) => schedule(targetOf(destination), text, dueAt),
    onScheduled: focusText,
  })

  function submit({ destination, text, dueAt }: Written) {
    if (dueAt !== null) return scheduling.submit({ destination, text, dueAt })
    const conversation = conversationOfDestination(destination, ownId)
    if (conversation === null) return
    sendMessage(conversation, text)
    emitSent(key, text)
    focusText()
  }

  return { ...scheduling, submit }
}

function targetOf(destination: Destination): Target {
  if (destination.kind === 'direct') return { type: 'direct', to: JSON.stringify(destination.people) }
  return { type: 'channel', to: String(destination.channelId), topic: destination.topic.trim() }
}
