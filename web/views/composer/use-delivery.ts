import { useMutation } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import type { RefObject } from 'react'
import { call } from '../../api/call.ts'
import { toAppError } from '../../store/app-error.ts'
import { type Draft, emitSent, readDraft, readStoredDraft, replaceDraft, saveDraft } from '../../store/drafts/drafts.ts'
import { useOwnId } from '../../store/organization.ts'
import { sendMessage } from '../../store/outgoing/send-outgoing.ts'
import { withRequestedText } from '../../store/page/compose-request.ts'
import { t } from '../../text/t.ts'
import { showToast } from '../../ui/feedback/toasts.ts'
import { absoluteTime } from '../../ui/time/time.tsx'
import { conversationOfDestination, type Destination } from './destination.ts'

/** A message in the compose box; `dueAt` is in UNIX seconds, null for immediately. */
type Written = { readonly destination: Destination; readonly text: string; readonly dueAt: number | null }

type Delivery = { submit: (message: Written) => void; isPending: boolean; error: unknown }

/** Sends or schedules the messages of a compose box. After sending one, the box can take the next immediately. */
export function useDelivery(props: { key: string; form: RefObject<HTMLFormElement | null> }): Delivery {
  const { key, form } = props
  const ownId = useOwnId()
  const router = useRouter()
  const focusText = () => {
    if (document.activeElement?.matches('body, .composer-send *')) form.current?.querySelector('textarea')?.focus()
  }
  const { mutate, isPending, error } = useMutation({
    mutationFn: schedule,
    // The text stays in the compose box until the message is scheduled.
    onSuccess({ scheduled_message_id: id }, message) {
      emitSent(key, message.text)
      showToast(t('Scheduled for {absoluteTime}', { absoluteTime: absoluteTime(message.dueAt) }), {
        undo: () => void unschedule(id, key, message),
        link: { text: t('View'), href: '/scheduled', open: () => void router.navigate({ to: '/scheduled' }) },
      })
      focusText()
    },
  })

  function submit({ destination, text, dueAt }: Written) {
    if (dueAt !== null) return mutate({ destination, text, dueAt })
    const conversation = conversationOfDestination(destination, ownId)
    if (conversation === null) return
    sendMessage(conversation, text)
    emitSent(key, text)
    focusText()
  }

  return { submit, isPending, error }
}

type Scheduled = Written & { readonly dueAt: number }

const schedule = ({ destination, text, dueAt }: Scheduled) =>
  call('POST /scheduled_messages', {
    ...targetOf(destination),
    content: text,
    read_by_sender: true,
    scheduled_delivery_timestamp: dueAt,
  })

/** Deletes a scheduled message, and puts its text and recipients back into the draft. */
async function unschedule(id: number, key: string, { destination, text }: Scheduled): Promise<void> {
  try {
    await call('DELETE /scheduled_messages/{scheduled_message_id}', { scheduled_message_id: id })
    const known = readDraft(key)
    saveDraft(
      key,
      known.text ? { ...known, text: withRequestedText(known.text, text) } : { ...toDraft(destination), text },
    )
    replaceDraft(key, readStoredDraft(key))
  } catch (error) {
    showToast(toAppError(error).message, { kind: 'error' })
  }
}

function toDraft(destination: Destination): Draft {
  if (destination.kind === 'direct') return { people: destination.people }
  const { channelId, topic } = destination
  return { ...(channelId !== null && { channelId }), topic }
}

/** The destination of a message in the API. */
type Target = { type: 'channel'; to: string; topic: string } | { type: 'direct'; to: string }

function targetOf(destination: Destination): Target {
  if (destination.kind === 'direct') return { type: 'direct', to: JSON.stringify(destination.people) }
  return { type: 'channel', to: String(destination.channelId), topic: destination.topic.trim() }
}
