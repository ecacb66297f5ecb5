import { useMutation } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { withRequestedText } from '../../browser/compose-requests.ts'
import { type Draft, emitSent, readDraft, readStoredDraft, replaceDraft, saveDraft } from '../../messages/drafts.ts'
import { sendMessage } from '../../messages/send-outgoing.ts'
import { canUndoSend, UNDO_SEND_TIME } from '../../messages/send-settings.ts'
import { toAppError } from '../../store/app-error.ts'
import { useOwnId } from '../../store/organization.ts'
import { queryClient } from '../../store/query-client.ts'
import { channelSubscribers } from '../../store/subscribers.ts'
import { t } from '../../text/t.ts'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { loadPart } from '../../ui/load-part.ts'
import { absoluteTime } from '../../ui/time.tsx'
import { showToast } from '../../ui/toasts.ts'
import { conversationOfDestination, type Destination } from '../destination.ts'
import { type ClientCommand, commandOf } from './slash-commands.ts'
import { countOfWildcard } from './warning.ts'

/**
 * Delays a message if “Undo send” is on. The message stays in the compose box meanwhile. It is sent immediately if the
 * user leaves the page or presses Send again.
 */
function useHeldMessage(): {
  isHeld: boolean
  /** Calls `send` now, or after a few seconds if “Undo send” is on. */
  hold: (send: () => void) => void
  undo: () => void
  /** Sends the message immediately if it is held. */
  release: () => void
} {
  const [isHeld, setHeld] = useState(false)
  const held = useRef<{ send: () => void; timer: ReturnType<typeof setTimeout> } | null>(null)

  function release(): void {
    const message = held.current
    if (message === null) return
    clearTimeout(message.timer)
    held.current = null
    setHeld(false)
    message.send()
  }

  const latest = useRef(release)
  useEffect(() => {
    latest.current = release
  })
  useEffect(() => {
    const leave = () => latest.current()
    addEventListener('pagehide', leave)
    return () => {
      removeEventListener('pagehide', leave)
      leave()
    }
  }, [])

  return {
    isHeld,
    hold(send) {
      if (held.current !== null) return release()
      if (!canUndoSend()) return send()
      held.current = { send, timer: setTimeout(() => latest.current(), UNDO_SEND_TIME) }
      setHeld(true)
    },
    undo() {
      if (held.current !== null) clearTimeout(held.current.timer)
      held.current = null
      setHeld(false)
    },
    release,
  }
}

const WildcardDialog = lazyPart(async () => (await import('./wildcard-dialog.tsx')).WildcardDialog)

/** Submits a valid message: runs commands, asks before many users are mentioned, and lets the user undo sending. */
export function useSubmission(props: {
  destination: Destination
  text: string
  /** Sends the message, now or at a time in UNIX seconds. */
  deliver: (dueAt: number | null) => void
  /** Empties the box after a command. */
  clear: () => void
}): Pick<ReturnType<typeof useHeldMessage>, 'isHeld' | 'undo' | 'release'> & {
  submit: (dueAt: number | null) => void
  dialog: ReactNode
} {
  const { destination, text, deliver, clear } = props
  const [asked, ask] = useState<{ count: number; dueAt: number | null } | null>(null)
  const held = useHeldMessage()
  const ownId = useOwnId()
  const isRunning = useRef(false)

  async function start(command: ClientCommand) {
    if (isRunning.current) return
    isRunning.current = true
    await run(command, ownId, clear)
    isRunning.current = false
  }

  function send(dueAt: number | null) {
    ask(null)
    if (dueAt === null) held.hold(() => deliver(null))
    else deliver(dueAt)
  }

  return {
    submit(dueAt) {
      const command = commandOf(text)
      if (command !== null) return void start(command)
      const count = countOfWildcard(text, destination, countSubscribers(destination))
      if (count === null) send(dueAt)
      else ask({ count, dueAt })
    },
    isHeld: held.isHeld,
    undo: held.undo,
    release: held.release,
    dialog: asked !== null && (
      <WildcardDialog count={asked.count} onSend={() => send(asked.dueAt)} onClose={() => ask(null)} />
    ),
  }
}

/** Loads the code of commands, and runs the command. */
const run = (command: ClientCommand, ownId: number, onDone: () => void): Promise<void> =>
  loadPart(() => import('./run-command.ts')).then(
    ({ runCommand }) => runCommand(command, ownId, onDone),
    (error: unknown) => showToast(toAppError(error).message, { kind: 'error' }),
  )

/** Returns the number of the channel's subscribers; 0 if it is not loaded. */
function countSubscribers(destination: Destination): number {
  const id = destination.kind === 'channel' ? destination.channelId : null
  return id === null ? 0 : (queryClient.getQueryData<number[]>(channelSubscribers(id).queryKey)?.length ?? 0)
}

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
