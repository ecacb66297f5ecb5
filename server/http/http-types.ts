import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Deferred } from '#lib/deferred.ts'

// Requests and responses as values. They are the same for node:http, for the fast path, and for tests. The path, query
// and body of a request are split but not interpreted.

/** How a caller proves who they are: programs with an API key, browsers with a session. */
export type AuthMethod = 'key' | 'session'

/** Parameters by name. If a name occurs several times, the last value counts. */
export type Fields = ReadonlyMap<string, string>

/** The kind of a parameter in a JSON body: a string or any other value. */
export type JsonKind = 'string' | 'value'

/** A file part of a multipart body. */
export type UploadedFile = {
  readonly field: string
  /** The name as sent; '' if there was none. It may contain any characters, even slashes. */
  readonly fileName: string
  /** The type as sent; `application/octet-stream` if there was none. */
  readonly contentType: string
  readonly bytes: Buffer
}

/** A file part without its bytes. */
export type FileInfo = Omit<UploadedFile, 'bytes'>

/** A body that its endpoint reads while it arrives, so that it is never completely in memory. */
export type IncomingFiles = {
  /** The length that the headers declare, in bytes; null if they declare none. */
  readonly declaredLength: number | null
  /** The number of bytes of the body that have been read. */
  readonly received: number
  /**
   * Yields the description of each file, followed by its bytes in pieces. Yields nothing if the body is not a multipart
   * form. Text fields become parameters of the request. Refuses a body that breaks off, stalls, or exceeds `limit`
   * bytes.
   */
  read(limit: number): AsyncGenerator<FileInfo | Buffer>
}

/** A request whose body was read and split into fields. Nothing is interpreted yet. */
export type HttpRequest = {
  /** The id of the request in the log and in the response to a crash. */
  readonly id: string
  /** The method in upper case. */
  readonly method: string
  /** The path without the query. Repeated slashes are collapsed, percent-escapes are kept. */
  readonly path: string
  /** The Host header in lower case with its port; '' if absent. */
  readonly host: string
  readonly headers: IncomingHttpHeaders
  readonly query: Fields
  /** The query before it was split, without the question mark. */
  readonly rawQuery: string
  /** Empty for methods and content types whose bodies are not read as forms. */
  readonly body: Fields
  /** The kind of each parameter in a JSON body; absent for forms. */
  readonly jsonKinds?: ReadonlyMap<string, JsonKind>
  readonly files: readonly UploadedFile[]
  /**
   * The body, for endpoints that read their files while they arrive. The fields above are then empty. Null for all
   * other endpoints.
   */
  readonly incomingFiles: IncomingFiles | null
  /** The body before it was split, whatever its type; empty if there was none. */
  readonly rawBody: Buffer
  /** The address of the client, which a trusted proxy may have named. */
  readonly remoteAddress: string
  /** The address of the other end of the connection; '' for a socket file. */
  readonly peerAddress: string
}

/** Headers by their names in lower case. A list becomes several lines. */
export type ResponseHeaders = Record<string, string | readonly string[]>

/**
 * A response. The server adds Content-Length, and the type `application/json` unless the headers name another one.
 * Responses to HEAD, and responses with status 204 or 304, are sent without the body. A long body may consist of
 * pieces, which are not copied; a body on the disk is read while it is sent.
 */
export type HttpResponse = {
  readonly status: number
  readonly headers: Readonly<ResponseHeaders>
  readonly body: BufferedBody | StreamedBody
  /** True if a long text may be compressed: the client accepts gzip, and the text contains no secret. */
  readonly mayCompress?: boolean
}

/** A response that will be available later. Until then, little else of the request is kept. */
export type DeferredResponse = Deferred<BufferedResponse>

export type BufferedResponse = HttpResponse & { readonly body: BufferedBody }

export type BufferedBody = string | Buffer | readonly Buffer[]

/** A body of `length` bytes. `open` is called at most once, when the body is sent. */
export type StreamedBody = { readonly length: number; readonly open: () => Readable }
