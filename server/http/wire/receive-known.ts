import { Late } from '../../base/late.ts'
import { splitRequest } from '../body/body.ts'
import { compressed } from './compress.ts'
import type { ParkedRequest } from './connection.ts'
import type { Answer, LateAnswer } from './exchange.ts'
import type { KnownRequest } from './read-known.ts'
import type { Receiver } from './receive.ts'
import type { LoggedRequest } from './request-log.ts'
import { isWhole } from './respond.ts'
import { failParked, sendParked, sendParkedLater } from './send-parked.ts'
import { toExchange } from './to-exchange.ts'

/** Has a request dispatched that node:http knows nothing of, and sends what comes of it; it is answered once. */
export function receiveKnown(receiver: Receiver, parked: ParkedRequest, request: KnownRequest): void {
  const { method, path, query, headers, bytes } = request
  const logged = { id: receiver.nextId(), method, path, startedAt: performance.now() }
  try {
    const said = splitRequest({ method, contentType: headers['content-type'] }, query, bytes)
    const answer = receiver.dispatch(toExchange(logged, { headers, socket: parked.socket }, said, receiver))
    if (!(answer instanceof Promise)) return send(receiver, parked, logged, answer)
    answer.then(
      (ready) => send(receiver, parked, logged, ready),
      (error) => failParked(receiver, parked, logged, error),
    )
  } catch (error) {
    failParked(receiver, parked, logged, error)
  }
}

function send(receiver: Receiver, parked: ParkedRequest, logged: LoggedRequest, answer: Answer | LateAnswer): void {
  if (answer instanceof Late) return sendParkedLater(receiver, parked, logged, answer)
  const ready = compressed(answer)
  if (!(ready instanceof Promise)) return sendReady(receiver, parked, logged, ready)
  ready.then(
    (bytes) => sendReady(receiver, parked, logged, bytes),
    (error) => failParked(receiver, parked, logged, error),
  )
}

function sendReady(receiver: Receiver, parked: ParkedRequest, logged: LoggedRequest, answer: Answer): void {
  if (isWhole(answer)) sendParked(receiver, parked, logged, answer)
  else failParked(receiver, parked, logged, new Error('An answer that was to be whole is not'))
}
