import type { IncomingMessage, ServerResponse } from 'node:http'
import { Deferred } from '#lib/deferred.ts'
import { Refusal } from '#lib/errors.ts'
import { openIncomingFiles } from '../body/incoming-files.ts'
import { EMPTY_BODY, lengthToAdmit, parseRequest, readBody } from '../body/read-body.ts'
import type {
  BufferedResponse,
  DeferredResponse,
  HttpRequest,
  HttpResponse,
  IncomingFiles,
  ResponseHeaders,
} from '../http-types.ts'
import { parseForm } from '../params.ts'
import { busyResponse, MAX_TARGET, malformedRequest, targetTooLong, wireRefusalResponse } from '../refusals.ts'
import { compressed } from '../responses.ts'
import type { Priority, QueuedRequest } from './admission.ts'
import { connectionOf } from './connection.ts'
import {
  type LoggedRequest,
  NO_CONTENT,
  type RequestContent,
  type RequestTarget,
  reportRequest,
  splitTarget,
  toHttpRequest,
} from './request.ts'
import { failureResponse, respond, respondUnread } from './respond.ts'
import type { BodyGate, BodyPermit, ServerContext } from './server-context.ts'

/** Reads a request, dispatches it, and sends the response. Whatever happens, exactly one response is sent. */
export function receive(context: ServerContext, request: IncomingMessage, response: ServerResponse): void {
  const target = request.url ?? ''
  connectionOf(request.socket).newest = response
  const reception = new NodeReception(context, request, response)
  if (target.length > MAX_TARGET) reception.refuseUnread(targetTooLong({ limit: MAX_TARGET }))
  else reception.begin()
}

/**
 * A request that is being answered, however it was read. It is an object rather than closures because thousands of polls
 * wait at once.
 */
export abstract class Reception implements QueuedRequest {
  protected readonly context: ServerContext
  protected readonly target: RequestTarget
  protected readonly logged: LoggedRequest
  protected rawBody: Buffer = EMPTY_BODY
  protected incomingFiles: (IncomingFiles & { isWhole: boolean }) | null = null
  readonly #origin: Pick<IncomingMessage, 'headers' | 'socket'>
  #priority: Priority = 'normal'

  constructor(
    context: ServerContext,
    method: string,
    target: RequestTarget,
    origin: Pick<IncomingMessage, 'headers' | 'socket'>,
  ) {
    this.context = context
    this.target = target
    this.#origin = origin
    this.logged = { id: context.nextId(), method, path: target.path, startedAt: performance.now() }
  }

  abstract isGone(): boolean

  /** Sends the response and logs the request. A response that cannot be written counts as a crash. */
  protected abstract send(response: HttpResponse): void

  /** Makes sure that `deferred` is canceled when the client disconnects. */
  protected abstract watch(deferred: DeferredResponse): void

  enqueue(): void {
    const { admission, priorityOf } = this.context
    this.#priority = priorityOf(this.logged.method, this.logged.path)
    admission.admit(this, this.#priority)
  }

  isHeavy(): boolean {
    return this.context.isBusySender(this.head())
  }

  refuse(): void {
    this.context.noteBusyRefusal()
    this.send(busyResponse(this.headers()))
  }

  run(): void {
    try {
      const content = this.#parse()
      if (content !== null) this.dispatch(content)
    } catch (error) {
      this.#release()
      this.fail(error)
    }
  }

  /** Returns the request with this content; without its query and body if omitted. */
  protected head(content = NO_CONTENT): HttpRequest {
    const { host } = this.target
    return toHttpRequest(this.logged, this.#origin, content, this.context, host, this.incomingFiles)
  }

  /** Returns the content of the request; null if it is refused. */
  #parse(): RequestContent | null {
    const contentType = this.#origin.headers['content-type']
    try {
      return parseRequest({ method: this.logged.method, contentType }, this.target.query, this.rawBody)
    } catch (error) {
      if (!(error instanceof Refusal) || this.incomingFiles !== null) throw error
      this.#sendWhenReady(this.context.bodyGate.refuse(this.head(), error))
      return null
    }
  }

  #release(): void {
    if (this.#priority !== 'urgent') this.context.admission.release()
  }

  protected dispatch(content: RequestContent): void {
    const response = this.#dispatchTraced(this.head(content))
    // A file may take an hour to arrive, but needs hardly any work.
    if (this.incomingFiles !== null || !(response instanceof Promise)) this.#release()
    if (response instanceof Promise) this.#sendWhenReady(response)
    else this.#sendCompressed(response)
  }

  #dispatchTraced(request: HttpRequest): ReturnType<ServerContext['dispatch']> {
    const { dispatch, tracer } = this.context
    if (tracer === undefined) return dispatch(request)
    const span = tracer.begin(request)
    this.logged.span = span
    return span.run(() => dispatch(request))
  }

  #sendWhenReady(response: Promise<HttpResponse | DeferredResponse>): void {
    response.then(
      (ready) => {
        if (this.incomingFiles === null) this.#release()
        if (ready instanceof Deferred) this.#sendDeferred(ready)
        else this.#sendCompressed(ready)
      },
      (error) => {
        if (this.incomingFiles === null) this.#release()
        this.fail(error)
      },
    )
  }

  /** Sends the response, or a refusal that is held back after a while. */
  #sendCompressed(response: HttpResponse): void {
    const held = this.hold(response)
    if (held !== null) return void held.then(() => this.send(response))
    const ready = compressed(response)
    if (!(ready instanceof Promise)) return this.send(ready)
    ready.then(
      (bytes) => this.send(bytes),
      (error) => this.fail(error),
    )
  }

  #sendDeferred(deferred: DeferredResponse): void {
    this.watch(deferred)
    if (this.isGone()) deferred.giveUp()
    deferred.onSettled((get) => {
      try {
        this.#sendCompressed(get())
      } catch (error) {
        this.fail(error)
      }
    })
  }

  protected hold(response: HttpResponse): Promise<void> | null {
    const { lateRefusals, addressOf } = this.context
    const { headers, socket } = this.#origin
    return lateRefusals.hold(response, () => addressOf(headers, socket.remoteAddress ?? ''))
  }

  protected fail(error: unknown): void {
    this.send(failureResponse(error, this.context.log, this.logged, this.headers()))
  }

  protected headers(): ResponseHeaders {
    return this.context.headersForPath(this.target.path)
  }

  protected log(status: number): void {
    reportRequest(this.context, this.logged, status)
  }
}

/** A request that node:http has read. */
class NodeReception extends Reception {
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  /** The text fields of a form whose files are read while they arrive. */
  readonly #fields = new Map<string, string>()
  /** The permission to keep a long body in memory. */
  #permit: BodyPermit | null = null

  constructor(context: ServerContext, request: IncomingMessage, response: ServerResponse) {
    super(context, request.method ?? 'GET', splitTarget(request.url ?? ''), request)
    this.#request = request
    this.#response = response
  }

  begin(): void {
    const { headers, httpVersion, rawHeaders } = this.#request
    const { method, path } = this.logged
    if (httpVersion !== '1.1' && httpVersion !== '1.0') return this.refuseUnread(malformedRequest())
    if (headers.host === undefined && httpVersion === '1.1') return this.refuseUnread(malformedRequest())
    if (isAmbiguous(rawHeaders)) return this.refuseUnread(malformedRequest())
    const { bodyLimit, bodySeconds, readsFiles } = this.context
    if (readsFiles(method, path)) return this.enqueue()
    const limit = bodyLimit(method, path)
    const length = lengthToAdmit(this.#request, limit)
    if (length === null) this.#readBody(limit, bodySeconds)
    else void this.#readAdmitted(limit, length, bodySeconds)
  }

  async #readAdmitted(limit: number, length: number, seconds: number): Promise<void> {
    const { bodyGate, log } = this.context
    const connection = connectionOf(this.#request.socket)
    let isRefused = false
    const giveUp = (refusal: Refusal) => {
      isRefused = true
      this.refuseUnread(refusal)
    }
    connection.giveUpReading = giveUp
    const fail = (error: unknown) => failureResponse(error, log, this.logged, this.headers())
    const admitted = await this.#admit(bodyGate, length).catch(fail)
    if (connection.giveUpReading === giveUp) connection.giveUpReading = undefined
    if (isRefused || this.isGone()) return 'release' in admitted ? admitted.release() : undefined
    if ('status' in admitted) return this.#respondUnread(admitted)
    this.#permit = admitted
    this.#response.once('close', admitted.release)
    this.#readBody(limit, seconds)
  }

  /** The query may have the API key of an incoming webhook. */
  async #admit(bodyGate: BodyGate, length: number): Promise<BodyPermit | BufferedResponse> {
    const query = new Map<string, string>()
    try {
      parseForm(this.target.query, query, 0)
    } catch (error) {
      if (error instanceof Refusal) return bodyGate.refuse(this.head(), error)
      throw error
    }
    return bodyGate.admit(this.head({ ...NO_CONTENT, query }), length)
  }

  #readBody(limit: number, seconds: number): void {
    const receive = (bytes: number) => this.#permit?.receive(bytes) ?? null
    readBody(this.#request, this.#response, { limit, seconds, receive }, (body) => {
      if (Buffer.isBuffer(body)) {
        this.rawBody = body
        return this.enqueue()
      }
      this.#permit?.release()
      if (body instanceof Refusal) this.refuseUnread(body)
      else this.#respondUnread(body)
    })
  }

  isGone(): boolean {
    return this.#response.destroyed || this.#request.socket.destroyed
  }

  override run(): void {
    const { readsFiles, bodySeconds } = this.context
    if (readsFiles(this.logged.method, this.logged.path))
      this.incomingFiles = openIncomingFiles(this.#request, this.#response, this.#fields, bodySeconds)
    super.run()
  }

  protected override dispatch(content: RequestContent): void {
    super.dispatch(this.incomingFiles === null ? content : { ...content, body: this.#fields })
  }

  protected watch(deferred: DeferredResponse): void {
    this.#permit?.release()
    this.#response.on('close', () => deferred.giveUp())
  }

  protected send(response: HttpResponse): void {
    this.#permit?.release()
    const { common, isClosing } = this.context
    try {
      if (this.incomingFiles !== null && !this.incomingFiles.isWhole)
        respondUnread(this.#request, this.#response, response, common)
      else respond(this.#response, response, { closes: isClosing(), common })
      this.log(response.status)
    } catch (error) {
      this.fail(error)
    }
  }

  refuseUnread(refusal: Refusal): void {
    this.#respondUnread(wireRefusalResponse(refusal, this.headers()))
  }

  #respondUnread(response: HttpResponse): void {
    const held = this.hold(response)
    if (held === null) return this.#respondUnreadNow(response)
    this.#request.pause()
    void held.then(() => {
      this.#request.resume()
      this.#respondUnreadNow(response)
    })
  }

  #respondUnreadNow(response: HttpResponse): void {
    respondUnread(this.#request, this.#response, response, this.context.common)
    this.log(response.status)
  }

  protected override fail(error: unknown): void {
    if (!this.#response.headersSent) return super.fail(error)
    failureResponse(error, this.context.log, this.logged, this.headers())
    this.#response.destroy()
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
