import type { IncomingMessage, ServerResponse } from 'node:http'
import { Refusal } from '../../platform/errors/refusal.ts'
import { Deferred } from '../../platform/runtime/deferred.ts'
import type { Log } from '../../platform/runtime/log.ts'
import { EMPTY_BODY, parseRequest, readBody } from '../body/body.ts'
import { openIncomingFiles } from '../body/incoming-files.ts'
import type { Admission, Priority, QueuedRequest } from './admission.ts'
import type { CommonHeaders } from './common-headers.ts'
import { compressed } from './compress.ts'
import { connectionOf } from './connection.ts'
import { failureResponse } from './failure-response.ts'
import type { DeferredResponse, HttpRequest, HttpResponse, IncomingFiles, ResponseHeaders } from './http-types.ts'
import { park, parkKnown } from './park.ts'
import type { Reader } from './read-known.ts'
import { type LoggedRequest, logRequest } from './request-log.ts'
import { isBuffered, respond, respondUnread } from './respond.ts'
import { sendParked, sendParkedLater } from './send-parked.ts'
import { splitTarget, type Target } from './target.ts'
import { type RequestContent, toHttpRequest } from './to-http-request.ts'
import { busyResponse, MAX_TARGET, malformedRequest, targetTooLong, wireRefusalResponse } from './wire-refusals.ts'

export type Receiver = Reader & {
  dispatch: (exchange: HttpRequest) => Promise<HttpResponse | DeferredResponse> | HttpResponse
  log: Log
  nextId: () => string
  trustRealIp: boolean
  common: CommonHeaders
  admission: Admission
  priorityOf: (method: string, path: string) => Priority
  placeOf: (address: string) => string | null
  maxConnections: number
  /** To be called for each connection that is refused because there are too many from its place. */
  noteTooMany: () => void
  /** How long a body may take, in seconds. */
  bodySeconds: number
  /** How a request is refused before its long body is read; null where it is not. */
  checkSender: (head: HttpRequest) => Promise<HttpResponse | null>
  /** To be called for each request that is refused because the server is busy. */
  noteRefused: () => void
  headersUnder: (path: string) => ResponseHeaders
  isClosing: () => boolean
}

const NO_FIELDS: ReadonlyMap<string, string> = new Map()

/** Reads a request, has it dispatched, and sends what comes of it; whatever happens, it is answered once. */
export function receive(receiver: Receiver, request: IncomingMessage, response: ServerResponse): void {
  const target = request.url ?? ''
  connectionOf(request.socket).newest = response
  const reception = new Reception(receiver, splitTarget(target), request, response)
  if (target.length > MAX_TARGET) reception.refuseUnread(targetTooLong({ limit: MAX_TARGET }))
  else reception.begin()
}

/** A request that is being answered. An object rather than closures, since thousands of them wait for news. */
class Reception implements QueuedRequest {
  readonly #receiver: Receiver
  readonly #target: Target
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #logged: LoggedRequest
  #arriving: (IncomingFiles & { isWhole: boolean }) | null = null
  /** Whether requests like it need node:http no more. */
  #isKnown = false
  #bytes: Buffer = EMPTY_BODY
  #priority: Priority = 'normal'

  constructor(receiver: Receiver, target: Target, request: IncomingMessage, response: ServerResponse) {
    this.#receiver = receiver
    this.#target = target
    this.#request = request
    this.#response = response
    const { method = 'GET' } = request
    this.#logged = { id: receiver.nextId(), method, path: target.path, startedAt: performance.now() }
  }

  begin(): void {
    const { headers, httpVersion, rawHeaders } = this.#request
    const { method, path } = this.#logged
    if (headers.host === undefined && httpVersion === '1.1') return this.refuseUnread(malformedRequest())
    if (isAmbiguous(rawHeaders)) return this.refuseUnread(malformedRequest())
    if (this.#receiver.answersWhole(path)) this.#isKnown = this.#receiver.heads.learn(this.#request)
    if (this.#receiver.readsFiles(method, path)) return this.#apply()
    const { bodyLimit, bodySeconds } = this.#receiver
    const reading = {
      limit: bodyLimit(method, path),
      seconds: bodySeconds,
      checkSender: () => this.#checkSender(),
    }
    readBody(this.#request, this.#response, reading, (bytes) => {
      if (bytes instanceof Refusal) return this.refuseUnread(bytes)
      this.#bytes = bytes
      this.#apply()
    })
  }

  /** What refuses the request if its sender may not call; null if they may. */
  async #checkSender(): Promise<(() => void) | null> {
    const { checkSender, log } = this.#receiver
    const nothing = { query: NO_FIELDS, body: NO_FIELDS, files: [], bytes: EMPTY_BODY }
    const head = toHttpRequest(this.#logged, this.#request, nothing, this.#receiver, this.#target.host)
    const refusal = await checkSender(head).catch((error) => failureResponse(error, log, this.#logged, this.#headers()))
    return refusal === null ? null : () => this.#answerUnread(refusal)
  }

  #apply(): void {
    const { admission, priorityOf } = this.#receiver
    this.#priority = priorityOf(this.#logged.method, this.#logged.path)
    admission.admit(this, this.#priority)
  }

  isGone(): boolean {
    return this.#response.destroyed || this.#request.socket.destroyed
  }

  refuse(): void {
    this.#receiver.noteRefused()
    this.#send(busyResponse(this.#headers()))
  }

  run(): void {
    const { method, path } = this.#logged
    try {
      if (this.#receiver.readsFiles(method, path)) return this.#dispatchArriving()
      const contentType = this.#request.headers['content-type']
      this.#dispatch(parseRequest({ method, contentType }, this.#target.query, this.#bytes))
    } catch (error) {
      this.#release()
      this.#crash(error)
    }
  }

  #release(): void {
    if (this.#priority !== 'urgent') this.#receiver.admission.release()
  }

  #dispatchArriving(): void {
    const body = new Map<string, string>()
    this.#arriving = openIncomingFiles(this.#request, this.#response, body, this.#receiver.bodySeconds)
    const said = parseRequest({ method: this.#logged.method, contentType: undefined }, this.#target.query, EMPTY_BODY)
    this.#dispatch({ ...said, body })
  }

  #dispatch(said: RequestContent): void {
    const receiver = this.#receiver
    const exchange = toHttpRequest(this.#logged, this.#request, said, receiver, this.#target.host, this.#arriving)
    const answer = receiver.dispatch(exchange)
    // A file may take an hour to arrive, and next to no work.
    if (this.#arriving !== null || !(answer instanceof Promise)) this.#release()
    if (answer instanceof Promise) this.#sendWhenReady(answer)
    else this.#sendCompressed(answer)
  }

  #sendWhenReady(answer: Promise<HttpResponse | DeferredResponse>): void {
    answer.then(
      (ready) => {
        if (this.#arriving === null) this.#release()
        if (ready instanceof Deferred) this.#sendLate(ready)
        else this.#sendCompressed(ready)
      },
      (error) => {
        if (this.#arriving === null) this.#release()
        this.#crash(error)
      },
    )
  }

  #sendCompressed(answer: HttpResponse): void {
    const ready = compressed(answer)
    if (!(ready instanceof Promise)) return this.#send(ready)
    ready.then(
      (bytes) => this.#send(bytes),
      (error) => this.#crash(error),
    )
  }

  #sendLate(answer: DeferredResponse): void {
    const parked = park(this.#response)
    if (parked !== null) return sendParkedLater(this.#receiver, parked, this.#logged, answer)
    this.#response.on('close', () => answer.giveUp())
    if (this.#response.destroyed) answer.giveUp()
    answer.onSettled((get) => {
      try {
        this.#sendCompressed(get())
      } catch (error) {
        this.#crash(error)
      }
    })
  }

  #send(answer: HttpResponse): void {
    if (this.#isKnown && isBuffered(answer)) {
      const parked = parkKnown(this.#response)
      if (parked !== null) return sendParked(this.#receiver, parked, this.#logged, answer)
    }
    try {
      if (this.#arriving === null || this.#arriving.isWhole) this.#respond(answer)
      else respondUnread(this.#request, this.#response, answer, this.#receiver.common)
      this.#log(answer.status)
    } catch (error) {
      this.#crash(error)
    }
  }

  #respond(answer: HttpResponse): void {
    const { isClosing, common } = this.#receiver
    respond(this.#response, answer, { closing: isClosing(), common })
  }

  refuseUnread(refusal: Refusal): void {
    this.#answerUnread(wireRefusalResponse(refusal, this.#headers()))
  }

  #answerUnread(answer: HttpResponse): void {
    respondUnread(this.#request, this.#response, answer, this.#receiver.common)
    this.#log(answer.status)
  }

  #crash(error: unknown): void {
    const answer = failureResponse(error, this.#receiver.log, this.#logged, this.#headers())
    if (this.#response.headersSent) this.#response.destroy()
    else this.#send(answer)
  }

  #headers(): ResponseHeaders {
    return this.#receiver.headersUnder(this.#target.path)
  }

  #log(status: number): void {
    logRequest(this.#receiver.log, this.#logged, status)
  }
}

/** Whether what says whose request it is, and where it goes, comes twice: proxies and servers differ in which they believe. */
function isAmbiguous(rawHeaders: readonly string[]): boolean {
  let [hosts, credentials] = [0, 0]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
    else if (name.length === 13 && name.toLowerCase() === 'authorization') credentials += 1
  }
  return hosts > 1 || credentials > 1
}
