import { Deferred } from '../../platform/runtime/deferred.ts'
import { parseRequest } from '../body/body.ts'
import type { Priority, QueuedRequest } from './admission.ts'
import { compressed } from './compress.ts'
import { connectionOf, type ParkedRequest } from './connection.ts'
import type { DeferredResponse, HttpResponse } from './http-types.ts'
import type { KnownRequest } from './read-known.ts'
import type { Receiver } from './receive.ts'
import type { LoggedRequest } from './request-log.ts'
import { isBuffered } from './respond.ts'
import { failParked, sendParked, sendParkedLater } from './send-parked.ts'
import { toHttpRequest } from './to-http-request.ts'
import { busyResponse } from './wire-refusals.ts'

/** Has a request dispatched that node:http knows nothing of, and sends what comes of it; it is answered once. */
export function receiveKnown(receiver: Receiver, parked: ParkedRequest, request: KnownRequest): void {
  const priority = receiver.priorityOf(request.method, request.path)
  receiver.admission.admit(new KnownReception(receiver, parked, request, priority), priority)
}

class KnownReception implements QueuedRequest {
  readonly #receiver: Receiver
  readonly #parked: ParkedRequest
  readonly #request: KnownRequest
  readonly #priority: Priority
  readonly #logged: LoggedRequest

  constructor(receiver: Receiver, parked: ParkedRequest, request: KnownRequest, priority: Priority) {
    this.#receiver = receiver
    this.#parked = parked
    this.#request = request
    this.#priority = priority
    const { method, path } = request
    this.#logged = { id: receiver.nextId(), method, path, startedAt: performance.now() }
  }

  isGone(): boolean {
    return connectionOf(this.#parked.socket).parked !== this.#parked
  }

  refuse(): void {
    const receiver = this.#receiver
    receiver.noteRefused()
    sendParked(receiver, this.#parked, this.#logged, busyResponse(receiver.headersUnder(this.#logged.path)))
  }

  run(): void {
    const [receiver, parked, logged] = [this.#receiver, this.#parked, this.#logged]
    const { method, query, headers, bytes } = this.#request
    try {
      const said = parseRequest({ method, contentType: headers['content-type'] }, query, bytes)
      const answer = receiver.dispatch(toHttpRequest(logged, { headers, socket: parked.socket }, said, receiver))
      if (!(answer instanceof Promise)) {
        this.#release()
        return send(receiver, parked, logged, answer)
      }
      answer.then(
        (ready) => {
          this.#release()
          send(receiver, parked, logged, ready)
        },
        (error) => {
          this.#release()
          failParked(receiver, parked, logged, error)
        },
      )
    } catch (error) {
      this.#release()
      failParked(receiver, parked, logged, error)
    }
  }

  #release(): void {
    if (this.#priority !== 'urgent') this.#receiver.admission.release()
  }
}

function send(
  receiver: Receiver,
  parked: ParkedRequest,
  logged: LoggedRequest,
  answer: HttpResponse | DeferredResponse,
): void {
  if (answer instanceof Deferred) return sendParkedLater(receiver, parked, logged, answer)
  const ready = compressed(answer)
  if (!(ready instanceof Promise)) return sendReady(receiver, parked, logged, ready)
  ready.then(
    (bytes) => sendReady(receiver, parked, logged, bytes),
    (error) => failParked(receiver, parked, logged, error),
  )
}

function sendReady(receiver: Receiver, parked: ParkedRequest, logged: LoggedRequest, answer: HttpResponse): void {
  if (isBuffered(answer)) sendParked(receiver, parked, logged, answer)
  else failParked(receiver, parked, logged, new Error('An answer that was to be whole is not'))
}
