import { hash } from 'node:crypto'
import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'
import type { Clock } from '#lib/clock.ts'
import { FilesUnavailable } from '#lib/errors.ts'
import type { Log } from '#lib/log.ts'
import { bucketUrl, type S3Credentials, type S3Location } from '#lib/s3-url.ts'
import { allElements, readXml, type XmlElement } from '#lib/xml.ts'
import { explainConnectionError, explainS3Error, type S3Fault } from './faults.ts'

/** The bytes of a request. They are opened again for each attempt. */
export type S3Body = { size: number; sha256: string; open: () => Readable | Buffer }

export type S3Request = {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** The name of the object below the prefix of the location; null for the bucket itself. */
  name: string | null
  query?: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
  body?: S3Body
  signal?: AbortSignal | undefined
}

/** The store has no such object, or no such upload. */
export class S3Missing extends Error {
  /** The code of missing files, for callers that know only the file system. */
  readonly code = 'ENOENT'
}

/** Seconds for a connection, and for the next byte of a request or response. */
export type S3Limits = { connectTime: number; idleTime: number }

const LIMITS: S3Limits = { connectTime: 4, idleTime: 20 }

/** Seconds for which a request waits for its turn. */
const QUEUE_TIME = 10

/** The maximum number of requests without a response. Downloads that have begun do not count: their readers may be slow. */
const CONCURRENCY = 32

/** Seconds of pause before the second and the third attempt. */
const PAUSES = [0.2, 1]

/** Seconds after which a request is not repeated. */
const RETRY_TIME = 8

/** Seconds during which requests fail at once after the store could not be reached, so that they do not pile up. */
const AWAY_TIME = 2

/** The maximum length of a document of the store, in bytes. A page of a list is shorter. */
const MAX_DOCUMENT = 8 * 1024 ** 2

/** Bodies with more bytes are sent only when the store has accepted the headers, or did not answer them in time. */
const MAX_UNASKED = 256 * 1024
const ACCEPT_TIME = 1

/** A name under which no object is. */
const ABSENT = 'absent'

const EMPTY_HASH = hash('sha256', '')

type S3ClientOptions = {
  location: S3Location
  credentials: () => Promise<S3Credentials>
  clock: Clock
  log: Log
  /** Time limits that replace the defaults. */
  limits?: S3Limits | undefined
}

/** A failure after which the same request may succeed. */
class Retryable extends Error {
  /** True if the store did not answer at all. */
  readonly isSilent: boolean

  constructor(message: string, isSilent: boolean, cause?: unknown) {
    super(message, { cause })
    this.isSilent = isSilent
  }
}

/**
 * Sends signed requests to one bucket. Each request that may be repeated is tried three times; a store that cannot be
 * reached is left alone for two seconds. Connections are kept.
 */
export class S3Client {
  readonly #location: S3Location
  readonly #credentials: () => Promise<S3Credentials>
  readonly #clock: Clock
  readonly #log: Log
  readonly #agent: HttpAgent
  readonly #limits: S3Limits
  readonly #slots = new Slots(CONCURRENCY)
  readonly #keyCache = new Map<string, ArrayBuffer>()
  #awayUntil = 0
  #failure: { since: number; reason: string } | null = null

  constructor({ location, credentials, clock, log, limits = LIMITS }: S3ClientOptions) {
    this.#limits = limits
    this.#location = location
    this.#credentials = credentials
    this.#clock = clock
    this.#log = log
    const options = { keepAlive: true, maxFreeSockets: CONCURRENCY, scheduling: 'lifo' } as const
    this.#agent = location.endpoint.startsWith('https:') ? new HttpsAgent(options) : new HttpAgent(options)
  }

  /**
   * The time since which every request has failed, in UNIX seconds; null if the last one did not. An object that the store
   * does not let the server read, while it does so with others, does not count.
   */
  get failingSince(): number | null {
    return this.#failure?.since ?? null
  }

  /**
   * Returns the response once its status shows success. Throws `S3Missing`, or `FilesUnavailable` with the reason. The
   * caller must read the body.
   */
  async send(request: S3Request): Promise<IncomingMessage> {
    const startedAt = this.#clock.now()
    for (let attempt = 0; ; attempt++) {
      if (this.#failure !== null && this.#clock.now() < this.#awayUntil) throw this.#unavailable(this.#failure.reason)
      try {
        const response = await this.#slots.run(() => this.#attempt(request))
        this.#succeeded()
        return response
      } catch (error) {
        if (error instanceof S3Missing) this.#succeeded()
        if (error instanceof FilesUnavailable && !(await this.#refusesOnly(request))) this.#failed(error.message)
        if (!(error instanceof Retryable)) throw error
        const pause = PAUSES[attempt]
        const isLate = this.#clock.now() - startedAt > RETRY_TIME
        if (pause === undefined || isLate || request.signal?.aborted) {
          if (error.isSilent) this.#awayUntil = this.#clock.now() + AWAY_TIME
          this.#failed(error.message)
          throw this.#unavailable(error.message, error)
        }
        await sleep(pause * 1000, undefined, { signal: request.signal })
      }
    }
  }

  /** Sends the request, and returns the whole body of the response. It is tried again if the body breaks off. */
  async sendForBytes(request: S3Request): Promise<{ bytes: Buffer; response: IncomingMessage }> {
    for (let attempt = 0; ; attempt++) {
      const response = await this.send(request)
      try {
        const pieces: Buffer[] = []
        for await (const piece of this.readInTime(response)) pieces.push(piece)
        return { bytes: Buffer.concat(pieces), response }
      } catch (error) {
        if (attempt >= PAUSES.length || request.signal?.aborted) throw this.brokenOff(error)
      }
    }
  }

  /**
   * Sends the request, and returns the root element of the document in the response. A request that takes long is
   * answered with 200 before its outcome is known, so the document may contain a failure, after which it is tried again.
   */
  async sendForXml(request: S3Request, expectedName: string): Promise<XmlElement> {
    for (let attempt = 0; ; attempt++) {
      const { bytes } = await this.sendForBytes(request)
      const root = bytes.length > MAX_DOCUMENT ? null : readXml(bytes.toString().trimStart())
      if (root?.name === expectedName) return root
      if (root?.name !== 'Error') break
      const fault = this.#faultOf(request, 200, {}, root)
      if (!(fault instanceof Retryable)) throw fault
      const pause = PAUSES[attempt]
      if (pause === undefined || request.signal?.aborted) {
        this.#failed(fault.message)
        throw this.#unavailable(fault.message, fault)
      }
      await sleep(pause * 1000, undefined, { signal: request.signal })
    }
    const { endpoint } = this.#location
    throw new FilesUnavailable(
      `${endpoint} does not answer like an S3 store. Check the endpoint in FILES_URL; stores often have another port for S3 than for their pages.`,
      { isTemporary: false },
    )
  }

  /**
   * Yields the bytes of the response. Throws if the next ones do not arrive in time; a pause of the reader does not count.
   */
  async *readInTime(response: IncomingMessage): AsyncGenerator<Buffer> {
    const { idleTime } = this.#limits
    const pieces = response[Symbol.asyncIterator]() as AsyncIterator<Buffer>
    try {
      for (;;) {
        const giveUp = () => response.destroy(new Error(`No further bytes within ${idleTime} seconds`))
        const timer = setTimeout(giveUp, idleTime * 1000)
        const next = await pieces.next().finally(() => clearTimeout(timer))
        if (next.done) return
        yield next.value
      }
    } finally {
      response.destroy()
    }
  }

  /** Returns the document that explains a failure; null if there is none. */
  async #readFault(response: IncomingMessage): Promise<XmlElement | null> {
    try {
      let text = ''
      for await (const piece of this.readInTime(response)) if (text.length < MAX_DOCUMENT) text += piece
      return readXml(text.trimStart())
    } catch {
      return null
    }
  }

  /** Returns the error for a response that broke off, and remembers the failure. */
  brokenOff(cause: unknown): FilesUnavailable {
    const reason = explainConnectionError(cause, this.#location)
    this.#failed(reason)
    return this.#unavailable(reason, cause)
  }

  /** Returns a URL with which anyone can read the object until `validSeconds` after `signedAt`, in UNIX seconds. */
  async signUrl(
    name: string,
    query: Readonly<Record<string, string>>,
    { signedAt, validSeconds }: { signedAt: number; validSeconds: number },
  ): Promise<string> {
    const url = this.#urlOf(name, { ...query, 'X-Amz-Expires': String(validSeconds) }, this.#location.publicEndpoint)
    return (await this.#sign({ url, method: 'GET', signQuery: true, datetime: isoTime(signedAt) })).url.href
  }

  /** Returns the key of the object in the bucket, for lists. */
  keyOf(name: string): string {
    return this.#location.prefix + name
  }

  /** Returns the name of an object with this key; null if it is outside the prefix. */
  nameOf(key: string): string | null {
    const { prefix } = this.#location
    return key.startsWith(prefix) ? key.slice(prefix.length) : null
  }

  #unavailable(reason: string, cause?: unknown): FilesUnavailable {
    return new FilesUnavailable(reason, { isTemporary: true, cause })
  }

  #succeeded(): void {
    if (this.#failure !== null) this.#log.warn({}, 'The file store is available again')
    this.#failure = null
    this.#awayUntil = 0
  }

  #failed(reason: string): void {
    if (this.#failure === null) this.#log.error({ reason }, 'The file store is unavailable')
    this.#failure = { since: this.#failure?.since ?? this.#clock.now(), reason }
  }

  #urlOf(name: string | null, query: S3Request['query'] = {}, endpoint = this.#location.endpoint): URL {
    const base = bucketUrl(this.#location, endpoint)
    const url = new URL(name === null ? `${base}/` : `${base}/${this.keyOf(name)}`)
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value)
    return url
  }

  async #sign(options: {
    url: URL
    method: string
    headers?: Record<string, string>
    signQuery?: boolean
    datetime: string
  }) {
    const { accessKeyId, secretAccessKey, sessionToken } = await this.#credentials()
    return new AwsV4Signer({
      ...options,
      url: options.url.href,
      ...{ accessKeyId, secretAccessKey, service: 's3', region: this.#location.region, cache: this.#keyCache },
      ...(sessionToken !== null && { sessionToken }),
    }).sign()
  }

  async #attempt(request: S3Request): Promise<IncomingMessage> {
    const { method, name, query, body, signal } = request
    signal?.throwIfAborted()
    const headers = {
      ...request.headers,
      'x-amz-content-sha256': body?.sha256 ?? EMPTY_HASH,
      ...((body !== undefined || method === 'PUT' || method === 'POST') && {
        'content-length': String(body?.size ?? 0),
      }),
    }
    const datetime = isoTime(this.#clock.now())
    const signed = await this.#sign({ url: this.#urlOf(name, query), method, headers, datetime })
    const response = await this.#exchange(request, signed.url, Object.fromEntries(signed.headers))
    const { statusCode: status = 0 } = response
    if (status >= 200 && status < 300) return response
    const document = await this.#readFault(response)
    if (method === 'HEAD' && status >= 400 && status < 500) throw await this.#findReason(request, status)
    throw this.#faultOf(request, status, response.headers, document)
  }

  /**
   * Returns the error for a HEAD request, whose response has only a status: the object is missing, or the whole bucket.
   * The response to a GET request says which.
   */
  async #findReason({ name, signal }: S3Request, status: number): Promise<unknown> {
    try {
      const response = await this.#attempt({ method: 'GET', name, signal })
      response.destroy()
      return new Retryable(`The store refused HEAD ${name} with ${status}, but not GET`, false)
    } catch (error) {
      return error
    }
  }

  /** Returns whether the store, which has refused to read an object, would read others. */
  async #refusesOnly({ method, name }: S3Request): Promise<boolean> {
    if (name === null || (method !== 'GET' && method !== 'HEAD')) return false
    try {
      await this.#slots.run(() => this.#attempt({ method: 'GET', name: ABSENT }))
      return false
    } catch (error) {
      return error instanceof S3Missing
    }
  }

  async #exchange({ method, body, signal }: S3Request, url: URL, headers: Record<string, string>) {
    const content = body?.open()
    const asks = body !== undefined && body.size > MAX_UNASKED
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const send = url.protocol === 'https:' ? requestHttps : requestHttp
    const request = send(url, {
      ...{ method, agent: this.#agent },
      headers: asks ? { ...headers, expect: '100-continue' } : headers,
      ...(signal && { signal }),
    })
    request.once('response', resolve).on('error', reject)
    limitTime(request, this.#limits)
    const sendBody = () => {
      if (content === undefined || Buffer.isBuffer(content)) request.end(content)
      else void pipeline(content, request).catch(reject)
    }
    if (asks) onceAccepted(request, sendBody)
    else sendBody()
    try {
      const response = await promise
      request.setTimeout(0)
      // The rest of a body that the store has refused is not sent.
      if (!request.writableFinished) response.once('close', () => request.destroy())
      return response
    } catch (error) {
      request.destroy()
      signal?.throwIfAborted()
      throw new Retryable(explainConnectionError(error, this.#location), true, error)
    }
  }

  #faultOf(
    { method, name }: S3Request,
    status: number,
    headers: IncomingMessage['headers'],
    document: XmlElement | null,
  ) {
    const textOf = (wanted: string) =>
      (document === null ? [] : [...allElements(document)]).find((element) => element.name === wanted)?.text ?? ''
    const fault: S3Fault = {
      status,
      code: textOf('Code'),
      message: textOf('Message'),
      region: String(headers['x-amz-bucket-region'] ?? '') || textOf('Region'),
      date: String(headers.date ?? ''),
      operation: `${method} ${name ?? 'the bucket'}`,
    }
    const { code } = fault
    if (code === 'NoSuchKey' || code === 'NoSuchUpload') return new S3Missing(`There is no ${name}`)
    const text = explainS3Error(fault, this.#location, this.#clock.now())
    const isTransient =
      status === 429 || status >= 500 || /^(InternalError|SlowDown|RequestTimeout|OperationAborted)$/.test(code)
    return isTransient && code !== 'NotImplemented'
      ? new Retryable(text, false)
      : new FilesUnavailable(text, { isTemporary: false })
  }
}

/** Returns the time as the signature has it: `20300101T000000Z`. */
const isoTime = (seconds: number) => new Date(seconds * 1000).toISOString().replace(/[:-]|\.\d{3}/g, '')

function limitTime(request: ClientRequest, { connectTime, idleTime }: S3Limits): void {
  request.setTimeout(idleTime * 1000, () => request.destroy(new Error(`No answer within ${idleTime} seconds`)))
  request.once('socket', (socket) => {
    if (!socket.connecting) return
    const giveUp = () => request.destroy(new Error(`No connection within ${connectTime} seconds`))
    const timer = setTimeout(giveUp, connectTime * 1000)
    const stop = () => clearTimeout(timer)
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', stop)
    request.once('close', stop)
  })
}

/** Calls `sendBody` when the store accepts the request. Some stores wait for the body before they answer at all. */
function onceAccepted(request: ClientRequest, sendBody: () => void): void {
  let isOver = false
  const begin = () => {
    if (!isOver) sendBody()
    isOver = true
  }
  const timer = setTimeout(begin, ACCEPT_TIME * 1000)
  const stop = () => {
    clearTimeout(timer)
    isOver = true
  }
  request.once('continue', begin).once('response', stop).once('close', stop)
  request.flushHeaders()
}

/** Lets a number of jobs run at the same time. Others wait in order, and fail if they wait for too long. */
class Slots {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(count: number) {
    this.#free = count
  }

  async run<Result>(job: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1
    else await this.#wait()
    try {
      return await job()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free += 1
      else next()
    }
  }

  #wait(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(start), 1)
      reject(new FilesUnavailable('Too many requests wait for the file store', { isTemporary: true }))
    }, QUEUE_TIME * 1000)
    const start = () => {
      clearTimeout(timer)
      resolve()
    }
    this.#waiting.push(start)
    return promise
  }
}
