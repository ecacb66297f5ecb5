import type { IncomingMessage, ServerResponse } from 'node:http'
import { Refusal } from '../../platform/errors/refusal.ts'
import { Deferred } from '../../platform/runtime/deferred.ts'
import { openIncomingFiles } from '../body/incoming-files.ts'
import { EMPTY_BODY, parseRequest, readBody } from '../body/read-body.ts'
import type { Priority, QueuedRequest } from './admission.ts'
import { compressed } from './compress.ts'
import { connectionOf } from './connection.ts'
import { failureResponse } from './failure-response.ts'
import type { DeferredResponse, HttpResponse, IncomingFiles, ResponseHeaders } from './http-types.ts'
import { type LoggedRequest, logRequest } from './request-log.ts'
import { isBuffered, respond, respondUnread } from './respond.ts'
import type { ServerContext } from './server-context.ts'
import { type RequestTarget, splitTarget } from './target.ts'
import { type RequestContent, toHttpRequest } from './to-http-request.ts'
import { busyResponse, MAX_TARGET, malformedRequest, targetTooLong, wireRefusalResponse } from './wire-refusals.ts'

const NO_FIELDS: ReadonlyMap<string, string> = new Map()

/** Reads a request, dispatches it, and sends the response. Whatever happens, exactly one response is sent. */
export function receive(context: ServerContext, request: IncomingMessage, response: ServerResponse): void {
  const target = request.url ?? ''
  connectionOf(request.socket).newest = response
  const reception = new Reception(context, splitTarget(target), request, response)
  if (target.length > MAX_TARGET) reception.refuseUnread(targetTooLong({ limit: MAX_TARGET }))
  else reception.begin()
}

/** A request that is being answered. It is an object rather than closures because thousands of polls wait at once. */
class Reception implements QueuedRequest {
  readonly #context: ServerContext
  readonly #target: RequestTarget
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #logged: LoggedRequest
  #incomingFiles: (IncomingFiles & { isWhole: boolean }) | null = null
  /** True if the fast path has seen the headers before. */
  #hasKnownHeaders = false
  #rawBody: Buffer = EMPTY_BODY
  #priority: Priority = 'normal'

  constructor(context: ServerContext, target: RequestTarget, request: IncomingMessage, response: ServerResponse) {
    this.#context = context
    this.#target = target
    this.#request = request
    this.#response = response
    const { method = 'GET' } = request
    this.#logged = { id: context.nextId(), method, path: target.path, startedAt: performance.now() }
  }

  begin(): void {
    const { headers, httpVersion, rawHeaders } = this.#request
    const { method, path } = this.#logged
    if (httpVersion !== '1.1' && httpVersion !== '1.0') return this.refuseUnread(malformedRequest())
    if (headers.host === undefined && httpVersion === '1.1') return this.refuseUnread(malformedRequest())
    if (isAmbiguous(rawHeaders)) return this.refuseUnread(malformedRequest())
    const { fastPath, bodyLimit, bodySeconds, readsFiles } = this.#context
    this.#hasKnownHeaders = fastPath?.learnHeaders(this.#request, path) ?? false
    if (readsFiles(method, path)) return this.#enqueue()
    const options = {
      limit: bodyLimit(method, path),
      seconds: bodySeconds,
      checkSender: () => this.#checkSender(),
    }
    readBody(this.#request, this.#response, options, (body) => {
      if (body instanceof Refusal) return this.refuseUnread(body)
      this.#rawBody = body
      this.#enqueue()
    })
  }

  /** Returns a function that refuses the request if its sender may not call the endpoint; null otherwise. */
  async #checkSender(): Promise<(() => void) | null> {
    const { checkSender, log } = this.#context
    const nothing = { query: NO_FIELDS, body: NO_FIELDS, files: [], rawBody: EMPTY_BODY }
    const head = toHttpRequest(this.#logged, this.#request, nothing, this.#context, this.#target.host)
    const refusal = await checkSender(head).catch((error) => failureResponse(error, log, this.#logged, this.#headers()))
    return refusal === null ? null : () => this.#respondUnread(refusal)
  }

  #enqueue(): void {
    const { admission, priorityOf } = this.#context
    this.#priority = priorityOf(this.#logged.method, this.#logged.path)
    admission.admit(this, this.#priority)
  }

  isGone(): boolean {
    return this.#response.destroyed || this.#request.socket.destroyed
  }

  refuse(): void {
    this.#context.noteBusyRefusal()
    this.#send(busyResponse(this.#headers()))
  }

  run(): void {
    const { method, path } = this.#logged
    try {
      if (this.#context.readsFiles(method, path)) return this.#dispatchIncomingFiles()
      const contentType = this.#request.headers['content-type']
      this.#dispatch(parseRequest({ method, contentType }, this.#target.query, this.#rawBody))
    } catch (error) {
      this.#release()
      this.#fail(error)
    }
  }

  #release(): void {
    if (this.#priority !== 'urgent') this.#context.admission.release()
  }

  #dispatchIncomingFiles(): void {
    const body = new Map<string, string>()
    this.#incomingFiles = openIncomingFiles(this.#request, this.#response, body, this.#context.bodySeconds)
    const { method } = this.#logged
    const content = parseRequest({ method, contentType: undefined }, this.#target.query, EMPTY_BODY)
    this.#dispatch({ ...content, body })
  }

  #dispatch(content: RequestContent): void {
    const context = this.#context
    const host = this.#target.host
    const request = toHttpRequest(this.#logged, this.#request, content, context, host, this.#incomingFiles)
    const response = context.dispatch(request)
    // A file may take an hour to arrive, but needs hardly any work.
    if (this.#incomingFiles !== null || !(response instanceof Promise)) this.#release()
    if (response instanceof Promise) this.#sendWhenReady(response)
    else this.#sendCompressed(response)
  }

  #sendWhenReady(response: Promise<HttpResponse | DeferredResponse>): void {
    response.then(
      (ready) => {
        if (this.#incomingFiles === null) this.#release()
        if (ready instanceof Deferred) this.#sendDeferred(ready)
        else this.#sendCompressed(ready)
      },
      (error) => {
        if (this.#incomingFiles === null) this.#release()
        this.#fail(error)
      },
    )
  }

  #sendCompressed(response: HttpResponse): void {
    const ready = compressed(response)
    if (!(ready instanceof Promise)) return this.#send(ready)
    ready.then(
      (bytes) => this.#send(bytes),
      (error) => this.#fail(error),
    )
  }

  #sendDeferred(deferred: DeferredResponse): void {
    if (this.#context.fastPath?.sendDeferred(this.#response, this.#logged, deferred)) return
    this.#response.on('close', () => deferred.giveUp())
    if (this.#response.destroyed) deferred.giveUp()
    deferred.onSettled((get) => {
      try {
        this.#sendCompressed(get())
      } catch (error) {
        this.#fail(error)
      }
    })
  }

  #send(response: HttpResponse): void {
    const { fastPath, common } = this.#context
    if (this.#hasKnownHeaders && isBuffered(response) && fastPath?.send(this.#response, this.#logged, response)) return
    try {
      if (this.#incomingFiles === null || this.#incomingFiles.isWhole) this.#respond(response)
      else respondUnread(this.#request, this.#response, response, common)
      this.#log(response.status)
    } catch (error) {
      this.#fail(error)
    }
  }

  #respond(response: HttpResponse): void {
    const { isClosing, common } = this.#context
    respond(this.#response, response, { closes: isClosing(), common })
  }

  refuseUnread(refusal: Refusal): void {
    this.#respondUnread(wireRefusalResponse(refusal, this.#headers()))
  }

  #respondUnread(response: HttpResponse): void {
    respondUnread(this.#request, this.#response, response, this.#context.common)
    this.#log(response.status)
  }

  #fail(error: unknown): void {
    const response = failureResponse(error, this.#context.log, this.#logged, this.#headers())
    if (this.#response.headersSent) this.#response.destroy()
    else this.#send(response)
  }

  #headers(): ResponseHeaders {
    return this.#context.headersForPath(this.#target.path)
  }

  #log(status: number): void {
    logRequest(this.#context.log, this.#logged, status)
  }
}

/** Returns whether the Host or Authorization header occurs twice. Proxies and servers may then use different ones. */
function isAmbiguous(rawHeaders: readonly string[]): boolean {
  let [hosts, credentials] = [0, 0]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
    else if (name.length === 13 && name.toLowerCase() === 'authorization') credentials += 1
  }
  return hosts > 1 || credentials > 1
}
