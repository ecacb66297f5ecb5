import type { Log } from '../../platform/runtime/log.ts'
import type { CommonHeaders } from './common-headers.ts'
import { compressed } from './compress.ts'
import { connectionOf, type ParkedRequest } from './connection.ts'
import { failureResponse } from './failure-response.ts'
import type { BufferedResponse, DeferredResponse, ResponseHeaders } from './http-types.ts'
import { answerParked, isLast } from './park.ts'
import { rawAnswer } from './raw-answer.ts'
import { type LoggedRequest, logRequest } from './request-log.ts'

type Sender = {
  readonly log: Log
  readonly isClosing: () => boolean
  readonly common: CommonHeaders
  readonly headersUnder: (path: string) => ResponseHeaders
}

/** Sends a parked request its answer; one that cannot be written is a crash. */
export function sendParked(
  sender: Sender,
  parked: ParkedRequest,
  logged: LoggedRequest,
  ready: BufferedResponse,
): void {
  try {
    send(sender, parked, logged, ready)
  } catch (error) {
    failParked(sender, parked, logged, error)
  }
}

/** Sends a parked request what comes of its failure. */
export function failParked(sender: Sender, parked: ParkedRequest, logged: LoggedRequest, error: unknown): void {
  send(sender, parked, logged, failureResponse(error, sender.log, logged, sender.headersUnder(logged.path)))
}

/** Sends a parked request the answer that it waits for; whatever happens, it is answered once. */
export function sendParkedLater(
  sender: Sender,
  parked: ParkedRequest,
  logged: LoggedRequest,
  answer: DeferredResponse,
): void {
  parked.answer = answer
  if (connectionOf(parked.socket).parked !== parked) answer.giveUp()
  answer.onSettled((get) => {
    try {
      const ready = compressed(get())
      if (!(ready instanceof Promise)) return send(sender, parked, logged, ready)
      ready.then(
        (bytes) => sendParked(sender, parked, logged, bytes),
        (error) => failParked(sender, parked, logged, error),
      )
    } catch (error) {
      failParked(sender, parked, logged, error)
    }
  })
}

function send(
  { log, isClosing, common }: Sender,
  parked: ParkedRequest,
  logged: LoggedRequest,
  ready: BufferedResponse,
): void {
  const closing = isClosing() || isLast(parked)
  answerParked(parked, rawAnswer(ready, { closing, keepAlive: parked.keepAlive, common }), closing)
  logRequest(log, logged, ready.status)
}
