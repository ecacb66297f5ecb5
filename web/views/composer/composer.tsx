import { type ReactNode, useRef, useState } from 'react'
import { toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { useComposeRequests, withRequestedText } from '../../store/page/compose-request.ts'
import { channelSubscribers } from '../../store/people/subscribers.ts'
import { queryClient } from '../../store/query-client.ts'
import { t } from '../../text/t.ts'
import { showToast } from '../../ui/feedback/toasts.ts'
import { BlockedComposer } from './blocked-composer.tsx'
import type { ComposerError } from './composer-error.ts'
import { ComposerFrame } from './composer-frame.tsx'
import { type ComposerPlace, conversationOfDestination, type Destination, destinationOf } from './destination.ts'
import { useDestinationName } from './destination-name.ts'
import { editLastMessage } from './edit-last.ts'
import { messageTextError } from './message-text.ts'
import { whyShut } from './posting-rights.ts'
import { RecipientLine } from './recipients/recipient-line.tsx'
import { commandOf } from './slash-commands.ts'
import { takesRequest, toDestination } from './takes-request.ts'
import { useTypingNotices } from './typing/use-typing-notices.ts'
import { useDelivery } from './use-delivery.ts'
import { useDraft } from './use-draft.ts'
import { DraftConflict } from './warnings/draft-conflict.tsx'
import { countOfWildcard } from './warnings/find-warnings.ts'
import { Warnings } from './warnings/warnings.tsx'
import { WildcardDialog } from './warnings/wildcard-dialog.tsx'

/**
 * The compose box of a page. The draft is kept in this browser until it is sent, and goes where it was meant to go when it
 * was started: messages that arrive meanwhile change neither its topic nor its channel.
 */
export function Composer({ place }: { place: ComposerPlace }): ReactNode {
  const organization = useOrganization()
  const { key, draft, change, write } = useDraft(place)
  const [error, setError] = useState<ComposerError | null>(null)
  const [asked, ask] = useState<{ count: number; dueAt: number | null } | null>(null)
  const form = useRef<HTMLFormElement>(null)
  const nameOf = useDestinationName()
  const typing = useTypingNotices()
  const destination = destinationOf(place, draft)
  const { text = '' } = draft
  const focusText = () => form.current?.querySelector('textarea')?.focus()
  const delivery = useDelivery({ key, form })

  useComposeRequests((request) => {
    if (!takesRequest(place, request, organization)) return false
    const requested = withRequestedText(text, request.text)
    if (text.trim() !== '' || place.kind === 'direct') write({ text: requested })
    else change(toDestination(request), { text: requested })
    focusText()
    return true
  })

  function submit(dueAt: number | null) {
    const found = text.trim() === '' ? null : findError(place, destination, text)
    setError(found)
    if (text.trim() === '') return focusText()
    if (found !== null) return form.current?.querySelector<HTMLElement>(`[name="${found.field}"]`)?.focus()
    const command = commandOf(text)
    if (command !== null) return void runCommand(command, () => change(destination, {}))
    const count = countOfWildcard(text, destination, countSubscribers(destination))
    if (count === null) deliver(dueAt)
    else ask({ count, dueAt })
  }

  function deliver(dueAt: number | null) {
    ask(null)
    change(destination, { text })
    typing.stop()
    delivery.submit({ destination, text, dueAt })
  }

  const why = whyShut(organization, destination)
  if (why !== null && text === '' && place.kind !== 'any') return <BlockedComposer reason={why} />
  return (
    <ComposerFrame
      form={form}
      label={nameOf.label(destination)}
      placeholder={nameOf.placeholder(destination)}
      text={text}
      onText={(text) => {
        write({ text })
        setError(null)
        typing.type(text.trim() === '' ? null : typingTarget(destination, organization.user_id))
      }}
      error={why === null ? error : { field: 'text', text: why }}
      place={place}
      destination={destination}
      sending={delivery}
      notes={
        <>
          <DraftConflict draftKey={key} />
          <Warnings text={text} destination={destination} onChange={(destination) => change(destination, { text })} />
          {asked !== null && (
            <WildcardDialog count={asked.count} onSend={() => deliver(asked.dueAt)} onClose={() => ask(null)} />
          )}
        </>
      }
      onSubmit={submit}
      onKeyDown={(event) => {
        const isUp = event.key === 'ArrowUp' && !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey
        if (!isUp || text !== '' || !editLastMessage(place, organization)) return false
        event.preventDefault()
        return true
      }}
    >
      <RecipientLine
        place={place}
        destination={destination}
        error={error}
        onChange={(destination) => {
          change(destination, { text })
          setError(null)
        }}
      />
    </ComposerFrame>
  )
}

async function runCommand(command: NonNullable<ReturnType<typeof commandOf>>, onDone: () => void): Promise<void> {
  try {
    showToast(await command.run())
    onDone()
  } catch (error) {
    showToast(toAppError(error).message, { kind: 'error' })
  }
}

/** Returns the number of the channel's subscribers, as far as it is known. */
function countSubscribers(destination: Destination): number {
  const id = destination.kind === 'channel' ? destination.channelId : null
  return id === null ? 0 : (queryClient.getQueryData<number[]>(channelSubscribers(id).queryKey)?.length ?? 0)
}

/** Returns the error of a message before it is sent; null if there is none. */
function findError(place: ComposerPlace, destination: Destination, text: string): ComposerError | null {
  if (destination.kind === 'direct') {
    if (destination.people.length === 0) return { field: 'people', text: t('Add a recipient.') }
  } else {
    const { channelId, topic } = destination
    const isGeneralChat = place.kind === 'topic' && place.topic === '' && place.channelId === channelId
    if (channelId === null) return { field: 'channel', text: t('Choose a channel.') }
    if (topic.trim() === '' && !isGeneralChat) return { field: 'topic', text: t('Add a topic.') }
  }
  const problem = messageTextError(text)
  return problem === null ? null : { field: 'text', text: problem }
}

/** Nobody learns of typing in notes to self, or before the recipients are known. */
function typingTarget(destination: Destination, ownId: number) {
  const conversation = conversationOfDestination(destination, ownId)
  if (conversation === null) return null
  if (conversation.kind === 'topic')
    return { type: 'channel' as const, stream_id: conversation.channelId, topic: conversation.topic }
  return String(conversation.people) === String(ownId)
    ? null
    : { type: 'direct' as const, to: [...conversation.people] }
}
