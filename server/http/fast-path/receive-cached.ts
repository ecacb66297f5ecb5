import { Deferred } from '#lib/deferred.ts'
import { Refusal } from '#lib/errors.ts'
import { parseRequest } from '../body/read-body.ts'
import type { DeferredResponse, HttpRequest, HttpResponse } from '../http-types.ts'
import { busyResponse } from '../refusals.ts'
import { compressed } from '../responses.ts'
import type { Priority, QueuedRequest } from '../wire/admission.ts'
import { addressOf, type LoggedRequest, NO_CONTENT, type RequestContent, toHttpRequest } from '../wire/request.ts'
import { isBuffered } from '../wire/respond.ts'
import type { ServerContext } from '../wire/server-context.ts'
import { type DetachedRequest, fastConnectionOf } from './detached-request.ts'
import type { CachedRequest } from './parse-cached-request.ts'
import { sendDeferred, sendDetached, sendFailure } from './send-detached.ts'

type Context = Omit<ServerContext, 'fastPath'>

/** Dispatches a request that node:http did not see, and sends the response. Exactly one response is sent. */
export function receiveCached(context: Context, detached: DetachedRequest, request: CachedRequest): void {
  const priority = context.priorityOf(request.method, request.path)
  context.admission.admit(new CachedReception(context, detached, request, priority), priority)
}

class CachedReception implements QueuedRequest {
  readonly #context: Context
  readonly #detached: DetachedRequest
  readonly #request: CachedRequest
  readonly #priority: Priority
  readonly #logged: LoggedRequest

  constructor(context: Context, detached: DetachedRequest, request: CachedRequest, priority: Priority) {
    this.#context = context
    this.#detached = detached
    this.#request = request
    this.#priority = priority
    const { method, path } = request
    this.#logged = { id: context.nextId(), method, path, startedAt: performance.now() }
  }

  isGone(): boolean {
    return fastConnectionOf(this.#detached.socket).detached !== this.#detached
  }

  isHeavy(): boolean {
    return this.#context.isBusySender(this.#head())
  }

  refuse(): void {
    const context = this.#context
    context.noteBusyRefusal()
    sendDetached(context, this.#detached, this.#logged, busyResponse(context.headersForPath(this.#logged.path)))
  }

  run(): void {
    const [context, detached, logged] = [this.#context, this.#detached, this.#logged]
    try {
      const response = this.#respond()
      if (!(response instanceof Promise)) {
        this.#release()
        return this.#send(response)
      }
      response.then(
        (ready) => {
          this.#release()
          this.#send(ready)
        },
        (error) => {
          this.#release()
          sendFailure(context, detached, logged, error)
        },
      )
    } catch (error) {
      this.#release()
      sendFailure(context, detached, logged, error)
    }
  }

  #respond(): ReturnType<Context['dispatch']> {
    const { method, query, headers, body } = this.#request
    let content: RequestContent
    try {
      content = parseRequest({ method, contentType: headers['content-type'] }, query, body)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return this.#context.bodyGate.refuse(this.#head(), error)
    }
    return this.#context.dispatch(this.#head(content))
  }

  #origin() {
    return { headers: this.#request.headers, socket: this.#detached.socket }
  }

  #head(content = NO_CONTENT): HttpRequest {
    return toHttpRequest(this.#logged, this.#origin(), content, this.#context)
  }

  #send(response: HttpResponse | DeferredResponse): void {
    const [context, detached, logged] = [this.#context, this.#detached, this.#logged]
    if (response instanceof Deferred) return sendDeferred(context, detached, logged, response)
    const { lateRefusals, trustRealIp } = context
    const held = lateRefusals.hold(response, () => addressOf(this.#origin(), trustRealIp))
    const ready = held === null ? compressed(response) : held.then(() => response)
    if (!(ready instanceof Promise)) return sendReady(context, detached, logged, ready)
    ready.then(
      (bytes) => sendReady(context, detached, logged, bytes),
      (error) => sendFailure(context, detached, logged, error),
    )
  }

  #release(): void {
    if (this.#priority !== 'urgent') this.#context.admission.release()
  }
}

function sendReady(context: Context, detached: DetachedRequest, logged: LoggedRequest, response: HttpResponse): void {
  if (isBuffered(response)) sendDetached(context, detached, logged, response)
  else sendFailure(context, detached, logged, new Error('A response that must be in memory is not'))
}
