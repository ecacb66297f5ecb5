import { type ReactNode, useRef, useState } from 'react'
import { toAppError } from '../../store/app-error.ts'
import { loadPart } from '../../store/load-part.ts'
import { useOwnId } from '../../store/organization.ts'
import { channelSubscribers } from '../../store/people/subscribers.ts'
import { queryClient } from '../../store/query-client.ts'
import { showToast } from '../../ui/feedback/toasts.ts'
import { lazyPart } from '../../ui/lazy-part.tsx'
import type { Destination } from './destination.ts'
import { type ClientCommand, commandOf } from './slash-commands.ts'
import { useHeldMessage } from './use-held-message.ts'
import { countOfWildcard } from './warnings/wildcard-warnings.ts'

const WildcardDialog = lazyPart(async () => (await import('./warnings/wildcard-dialog.tsx')).WildcardDialog)

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
