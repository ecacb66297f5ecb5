import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Refusal } from '#lib/errors.ts'
import type { ResponseHeaders } from '../http-types.ts'
import { wireRefusalResponse } from '../refusals.ts'

/**
 * The headers of every response that does not set them itself. `lines` alternates names and values; `text` is the same
 * as header lines.
 */
export type CommonHeaders = { readonly lines: readonly string[]; readonly text: string }

export function commonHeaders(headers: Readonly<Record<string, string>>): CommonHeaders {
  const lines = Object.entries(headers).flat()
  return { lines, text: formatHeaderLines(lines) }
}

export const NO_COMMON_HEADERS = commonHeaders({})

/** Returns the common headers that a response with these headers lacks. */
export function missingCommonHeaders({ lines }: CommonHeaders, own: Readonly<ResponseHeaders>): readonly string[] {
  if (!lines.some((name, at) => at % 2 === 0 && name in own)) return lines
  return lines.filter((_, at) => !((lines[at - (at % 2)] as string) in own))
}

/** Formats alternating names and values as header lines. */
export function formatHeaderLines(lines: readonly string[]): string {
  let text = ''
  for (let at = 0; at < lines.length; at += 2) text += `${lines[at]}: ${lines[at + 1]}\r\n`
  return text
}

/** An import of `node:http` would also load its WebSocket client, which takes 40 ms and 13 MB. */
export const { createServer, STATUS_CODES, validateHeaderName, validateHeaderValue } =
  process.getBuiltinModule('node:http')

export const createSecureServer: typeof import('node:https').createServer = (...given: unknown[]) =>
  // The module is loaded only by servers that speak TLS.
  Reflect.apply(process.getBuiltinModule('node:https').createServer, undefined, given)

/** The state that the server keeps for one connection. */
type Connection = {
  /** The headers that every response on the connection has. */
  common: CommonHeaders
  /**
   * The response to the newest request. Responses are sent in order, so all responses are finished when this one is.
   */
  newest: ServerResponse | undefined
  /** Refuses the request whose body is still arriving; undefined when none is. */
  giveUpReading: ((refusal: Refusal) => void) | undefined
  /** True if everything that still arrives is discarded. */
  givenUp: boolean
  /** The state of the connection while it is read without node:http (fast-path.ts); null while node:http has it. */
  plain: { isIdle(): boolean } | null
}

const CONNECTION = Symbol('connection')

type Marked = { [CONNECTION]?: Connection }

/** Returns the state of a connection, always the same object for the same socket. */
export function connectionOf(socket: Socket): Connection {
  const marked = socket as Marked
  marked[CONNECTION] ??= {
    common: NO_COMMON_HEADERS,
    newest: undefined,
    giveUpReading: undefined,
    givenUp: false,
    plain: null,
  }
  return marked[CONNECTION]
}

/** Returns whether no request is being read or answered on the connection, and nothing is still being written. */
export function isIdle(socket: Socket): boolean {
  const { newest, plain } = connectionOf(socket)
  if (plain?.isIdle() === false) return false
  return socket.writableLength === 0 && (newest === undefined || newest.writableFinished || newest.destroyed)
}

/** The time for which a refused client may continue to send, so that it can read the refusal, in milliseconds. */
const LINGER = 2000

/** Sends the refusal, and closes the connection. No other response may be due on it. */
export function refuseConnection(socket: Socket, refusal: Refusal): void {
  if (!socket.writable) return
  const { status, body } = wireRefusalResponse(refusal)
  const { text } = connectionOf(socket).common
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n` +
      `Content-Type: application/json\r\n${text}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
  setTimeout(() => socket.destroy(), LINGER).unref()
}

/** The open connections. They are counted by network. */
export class OpenConnections extends Set<Socket> {
  readonly #networks = new WeakMap<Socket, string>()
  readonly #counts = new Map<string, number>()

  /** Adds a connection from this network. The network's count includes it as long as it is in this set. */
  addFrom(network: string, socket: Socket): void {
    this.#networks.set(socket, network)
    this.add(socket)
  }

  override add(socket: Socket): this {
    if (!this.has(socket)) this.#count(socket, 1)
    return super.add(socket)
  }

  override delete(socket: Socket): boolean {
    if (this.has(socket)) this.#count(socket, -1)
    return super.delete(socket)
  }

  countFrom(network: string): number {
    return this.#counts.get(network) ?? 0
  }

  #count(socket: Socket, change: number): void {
    const network = this.#networks.get(socket)
    if (network === undefined) return
    const count = this.countFrom(network) + change
    if (count > 0) this.#counts.set(network, count)
    else this.#counts.delete(network)
  }
}

/**
 * Calls `callback` when the event loop has read everything that has arrived by now. After a busy turn, timers run
 * before reads, so a timer may miss data that has already arrived.
 */
export function afterPendingReads(callback: () => void): void {
  setImmediate(() => setImmediate(callback))
}
