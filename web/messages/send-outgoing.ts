import { createAtom } from '@tanstack/react-store'
import { LOCAL_ID_LIFETIME } from '#rules/shared-limits.ts'
import { ApiError, isTransientError, onOutcome, retryAfterOf } from '../api/api-error.ts'
import { call } from '../api/call.ts'
import { toAppError } from '../store/app-error.ts'
import { queuePosition } from '../store/connection.ts'
import { hasLocks } from '../store/leadership.ts'
import { t } from '../text/t.ts'
import type { ConversationRef } from './narrow.ts'
import {
  addOutgoing,
  changeOutgoing,
  findOutgoing,
  isSendingPaused,
  nextOutgoing,
  type OutgoingMessage,
  outgoing,
  removeOutgoing,
} from './outgoing.ts'
import { connectOutgoing, deleteOutgoing, forgetConfirmed, saveOutgoing } from './outgoing-storage.ts'

/** The pauses before each retry, in milliseconds. The last one repeats. */
const PAUSES = [1000, 2000, 5000, 10_000, 30_000]

/** The time after which a request without a response is repeated, in milliseconds. */
const TIMEOUT = 30_000

/** The maximum number of retries of a request that fails with an internal error of the server. */
const MAX_SERVER_ERRORS = 3

/**
 * The age from which an unsent message is sent only if the user asks for it, in milliseconds. The server still
 * recognizes the repetition of a message of this age, even if the clocks differ by a day or two.
 */
const MAX_AGE = (LOCAL_ID_LIFETIME - 2 * 86_400) * 1000

/**
 * Milliseconds for which a confirmed message is kept. Within this time, its event arrives or the timeline is loaded
 * again.
 */
const CONFIRMED_TIME = 60_000

type Listener = (message: OutgoingMessage) => void

const writtenListeners = new Set<Listener>()
const settledListeners = new Set<Listener>()

/** The local ids of unsettled messages that were written in this tab. Any tab may deliver and confirm them. */
const ownIds = new Set<string>()

/**
 * Calls the listener when the user sends a message, or sends it again, in this tab. Returns a function that stops this.
 */
export function onOutgoingWritten(listener: Listener): () => void {
  writtenListeners.add(listener)
  return () => void writtenListeners.delete(listener)
}

/**
 * Calls the listener when a message of this tab was confirmed, or could not be sent. Returns a function that stops
 * this.
 */
export function onOutgoingSettled(listener: Listener): () => void {
  settledListeners.add(listener)
  return () => void settledListeners.delete(listener)
}

function settle(message: OutgoingMessage): void {
  if (ownIds.delete(message.localId)) for (const listener of settledListeners) listener(message)
}

function noteWritten(message: OutgoingMessage): void {
  ownIds.add(message.localId)
  for (const listener of writtenListeners) listener(message)
}

/** Sends a message as soon as possible, after earlier messages. It is shown in its conversation at once. */
export function sendMessage(conversation: ConversationRef, text: string): OutgoingMessage {
  const writtenAt = Math.max(Date.now(), (outgoing.get().at(-1)?.writtenAt ?? 0) + 1)
  const message = { localId: randomUuid(), conversation, text, writtenAt, sentId: null, failure: null }
  noteWritten(message)
  addOutgoing(message)
  saveOutgoing(message)
  void sendAll()
  return message
}

/** Sends a failed message again. */
export function retryOutgoing(localId: string): void {
  const message = findOutgoing(localId)
  if (message === undefined) return
  if (isTooOld(message)) {
    deleteOutgoing(localId)
    sendMessage(message.conversation, message.text)
    return
  }
  noteWritten(message)
  const changed = changeOutgoing(localId, { failure: null })
  if (changed !== null) saveOutgoing(changed)
  waiting.get().abort()
  void sendAll()
}

export { deleteOutgoing }

/** Confirms a message after its response or its event shows that the server has saved it. */
export function confirmOutgoing(localId: string, id: number): void {
  const known = findOutgoing(localId)
  if (known === undefined || known.sentId !== null) return
  const confirmed = { ...known, sentId: id, failure: null }
  changeOutgoing(localId, confirmed)
  forgetConfirmed(confirmed)
  dropLater(confirmed)
  settle(confirmed)
}

/** Removes a confirmed message after `CONFIRMED_TIME`, when the timeline contains it. */
function dropLater({ localId }: OutgoingMessage): void {
  setTimeout(() => removeOutgoing(localId), CONFIRMED_TIME)
}

const isRunning = createAtom(false)

/** The name of the lock; null if this tab does not send. The tab with the lock sends the messages of all tabs. */
const lockName = createAtom<string | null>(null)

/** Sends all messages, one after the other. */
async function sendAll(): Promise<void> {
  const lock = lockName.get()
  if (isRunning.get() || lock === null || nextOutgoing() === undefined) return
  isRunning.set(true)
  try {
    // Without locks, two tabs may send the same message. The server then ignores the second request.
    if (!hasLocks()) await sendInTurn()
    else await navigator.locks.request(lock, sendInTurn)
  } finally {
    isRunning.set(false)
    isSendingPaused.set(false)
  }
  void sendAll()
}

async function sendInTurn(): Promise<void> {
  let failures = 0
  for (let next = nextOutgoing(); next !== undefined && lockName.get() !== null; next = nextOutgoing()) {
    if (isTooOld(next)) {
      fail(next, t('This message is too old to be sent automatically.'))
      continue
    }
    try {
      confirmOutgoing(next.localId, await deliver(next))
      failures = 0
      isSendingPaused.set(false)
    } catch (error) {
      if (isRefused(error, failures)) {
        fail(next, toAppError(error).message)
        failures = 0
      } else {
        isSendingPaused.set(true)
        await pause(error, failures)
        failures += 1
      }
    }
  }
}

async function deliver({ localId, conversation, text }: OutgoingMessage): Promise<number> {
  const target =
    conversation.kind === 'topic'
      ? { type: 'channel' as const, to: String(conversation.channelId), topic: conversation.topic }
      : { type: 'direct' as const, to: JSON.stringify(conversation.people) }
  const position = queuePosition.get()
  const echo = { local_id: localId, ...(position !== null && { queue_id: position.queueId }) }
  const message = { ...target, content: text, read_by_sender: true, ...echo }
  return (await call('POST /messages', message, { signal: AbortSignal.timeout(TIMEOUT) })).id
}

/**
 * Returns true if sending again would be pointless. An aborted request is repeated, like a request without a response.
 */
export const isRefused = (error: unknown, failures: number): boolean =>
  error instanceof ApiError && (!isTransientError(error) || (error.status === 500 && failures >= MAX_SERVER_ERRORS))

function fail({ localId }: OutgoingMessage, failure: string): void {
  const changed = changeOutgoing(localId, { failure })
  if (changed === null) return
  saveOutgoing(changed)
  settle(changed)
}

const isTooOld = ({ writtenAt }: OutgoingMessage) => Date.now() - writtenAt > MAX_AGE

/** Aborted to end the wait before the next retry. */
const waiting = createAtom(new AbortController())

/**
 * Waits before the next retry. Ends early if `waiting` is aborted, if the browser is connected again, or if another call
 * shows that the server is back.
 */
function pause(error: unknown, failures: number): Promise<void> {
  const required = retryAfterOf(error)
  const isUnreachable = error instanceof ApiError && (error.status === 0 || error.status > 500) && required === null
  return new Promise((resolve) => {
    const stop = onOutcome(({ isAnswered }) => isAnswered && isUnreachable && over())
    const timer = setTimeout(() => over(), required ?? PAUSES[Math.min(failures, PAUSES.length - 1)])
    const over = () => {
      clearTimeout(timer)
      stop()
      removeEventListener('online', over)
      resolve()
    }
    waiting.set(new AbortController())
    waiting.get().signal.addEventListener('abort', over)
    addEventListener('online', over)
  })
}

/**
 * Starts to send messages, including unsent ones of closed pages and of other tabs. Returns a function that stops this.
 */
export function startSending(userId: number): () => void {
  lockName.set(`parley.outgoing.${userId}`)
  const disconnect = connectOutgoing(userId, (settled) => {
    if (settled !== null) settle(settled)
    if (settled !== null && settled.sentId !== null) dropLater(settled)
    void sendAll()
  })
  void sendAll()
  return () => {
    lockName.set(null)
    disconnect()
    waiting.get().abort()
    outgoing.set([])
  }
}

/** Returns a random UUID. Works without `crypto.randomUUID`, which pages without TLS lack. */
function randomUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
