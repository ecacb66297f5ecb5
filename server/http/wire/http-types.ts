import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Deferred } from '../../platform/runtime/deferred.ts'

/** Parameters by name; of a name that occurs several times, the last. */
export type Fields = ReadonlyMap<string, string>

/** A file part of a multipart body. */
export type UploadedFile = {
  readonly field: string
  /** As sent, '' when none was; may hold slashes and anything else. */
  readonly fileName: string
  /** As sent, `application/octet-stream` when none was. */
  readonly contentType: string
  readonly bytes: Buffer
}

/** A file part without its bytes. */
export type FileInfo = Omit<UploadedFile, 'bytes'>

/** A body that its endpoint reads while it arrives, so that it is nowhere whole in memory. */
export type IncomingFiles = {
  /** What the body is said to measure, in bytes; null when nothing is said. */
  readonly declaredLength: number | null
  /**
   * The head of each file, and then its bytes in pieces; nothing where the body is no multipart form. Text parts become
   * parameters of the request. Refuses a body that is broken off, stalls, or grows beyond `limit` bytes.
   */
  read(limit: number): AsyncGenerator<FileInfo | Buffer>
}

/** One request as it arrived, its body read and split into fields; nothing is interpreted yet. */
export type HttpRequest = {
  /** Quoted in logs and in the answer to a crash. */
  readonly id: string
  /** In upper case. */
  readonly method: string
  /** Without the query; repeated slashes are collapsed, percent-escapes are left as they are. */
  readonly path: string
  /** The Host header in lower case with its port, '' when absent. */
  readonly host: string
  readonly headers: IncomingHttpHeaders
  readonly query: Fields
  /** Empty for methods and content types whose bodies are not read as a form. */
  readonly body: Fields
  /** How a JSON body gives each parameter of `body`, whose text is JSON where it is no string; absent for forms. */
  readonly jsonKinds?: ReadonlyMap<string, 'string' | 'value'>
  readonly files: readonly UploadedFile[]
  /** For endpoints that read their files themselves: the body, none of which is in the fields above. Else null. */
  readonly incomingFiles: IncomingFiles | null
  /** The body before it was split, whatever its type; empty when there was none. */
  readonly bytes: Buffer
  readonly remoteAddress: string
}

/** By their names in lower case; a list is as many lines. */
export type ResponseHeaders = Record<string, string | readonly string[]>

/**
 * What goes back. Content-Length is added, and `application/json` where the headers, whose names are in lower case,
 * say no other type; HEAD, 204 and 304 are sent without the body. A long body may come in pieces, which are not copied;
 * one that lies on the disk is read while it is sent.
 */
export type HttpResponse = {
  readonly status: number
  readonly headers: Readonly<ResponseHeaders>
  readonly body: BufferedBody | StreamedBody
  /** Whether a long text may be sent compressed: the client accepts gzip, and the text holds no secret. */
  readonly mayCompress?: boolean
}

/** An answer that its handler waits for, and that has a body; meanwhile little else is kept of the request. */
export type DeferredResponse = Deferred<BufferedResponse>

export type BufferedResponse = HttpResponse & { readonly body: BufferedBody }

export type BufferedBody = string | Buffer | readonly Buffer[]

/** So many bytes; `open` is called once at most, when they are sent. */
export type StreamedBody = { readonly length: number; readonly open: () => Readable }
