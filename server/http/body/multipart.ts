import type { FileInfo, UploadedFile } from '../http-types.ts'
import { decodeFormText, MAX_FIELDS } from '../params.ts'
import { bodyTooLarge, malformedMultipart, tooManyFields } from '../refusals.ts'

/** The headers of a part. A part without a file name is a text field. */
type PartHead = { readonly field: string; readonly fileName: string | undefined; readonly contentType: string }

const OPENS_LINE = '\r\n'
const BLANK_LINE = '\r\n\r\n'
const END_MARK = '--'

const malformed = (complaint: string) => malformedMultipart({ complaint })

/** The states of the parser, each with the error if the body ends in that state. */
const COMPLAINTS = {
  opening: 'its boundary does not occur in it',
  preamble: 'its boundary does not occur in it',
  'after delimiter': 'it ends within a part',
  head: 'it ends within the headers of a part',
  'first bytes': 'it ends within a part',
  bytes: 'it ends within a part',
  epilogue: null,
} as const

type State = keyof typeof COMPLAINTS

/**
 * Parses a `multipart/form-data` body (RFC 7578) chunk by chunk. It holds at most one chunk, the headers of one part
 * and a piece as long as the delimiter. A malformed body is refused.
 */
class MultipartParser {
  readonly #delimiter: Buffer
  readonly #maxHeaders: number
  #state: State = 'opening'
  #held: Buffer = Buffer.alloc(0)

  /** `maxHeaders` limits the headers of each part, in bytes. */
  constructor(contentType: string, maxHeaders = Number.POSITIVE_INFINITY) {
    this.#delimiter = Buffer.from(`${OPENS_LINE}--${requireBoundary(contentType)}`, 'latin1')
    this.#maxHeaders = maxHeaders
  }

  /**
   * Returns the parts in this chunk: the head of each, followed by its bytes in pieces that share the chunk's memory.
   */
  *push(chunk: Buffer): Generator<PartHead | Buffer> {
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    for (let state: State | null = null; state !== this.#state; ) {
      state = this.#state
      const piece = this.#step(state)
      if (piece !== null) yield piece
    }
  }

  /** Returns whether a body that has arrived completely has more parts than this. Decodes none of them. */
  hasMoreParts(body: Buffer, max: number): boolean {
    let [delimiters, at] = [0, body.indexOf(this.#delimiter)]
    for (; at !== -1 && delimiters <= max + 1; at = body.indexOf(this.#delimiter, at + this.#delimiter.length))
      delimiters += 1
    return delimiters > max + 1
  }

  /** Refuses a body that ends before its last delimiter. */
  end(): void {
    const complaint = COMPLAINTS[this.#state]
    if (complaint !== null) throw malformed(complaint)
  }

  /** Moves to another state, or stays in the same one until more bytes have arrived. */
  #step(state: State): PartHead | Buffer | null {
    switch (state) {
      case 'opening':
        return this.#readOpening()
      case 'preamble':
        this.#readToDelimiter()
        return null
      case 'after delimiter':
        if (this.#held.length >= END_MARK.length) this.#state = this.#startsWith(END_MARK) ? 'epilogue' : 'head'
        return null
      case 'head':
        return this.#readHead()
      case 'first bytes':
        return this.#readFirstBytes()
      case 'bytes':
        return this.#readToDelimiter()
      case 'epilogue':
        this.#held = this.#held.subarray(this.#held.length)
        return null
    }
  }

  /** The first delimiter may be at the very beginning, without a line end before it. */
  #readOpening(): null {
    const opening = this.#delimiter.subarray(OPENS_LINE.length)
    if (this.#held.length < opening.length) return null
    if (this.#held.subarray(0, opening.length).equals(opening)) this.#goOn('after delimiter', opening.length)
    else this.#state = 'preamble'
    return null
  }

  #readHead(): PartHead | null {
    const end = this.#held.indexOf(BLANK_LINE)
    if (end > this.#maxHeaders || (end === -1 && this.#held.length > this.#maxHeaders))
      throw malformed('the headers of a part are too long')
    if (end === -1) return null
    const head = parseHead(this.#held.toString('utf8', 0, end))
    // The second line end belongs to the next delimiter if the part is empty.
    this.#goOn('first bytes', end + OPENS_LINE.length)
    return head
  }

  #readFirstBytes(): null {
    if (this.#held.length < this.#delimiter.length) return null
    const isEmpty = this.#held.subarray(0, this.#delimiter.length).equals(this.#delimiter)
    this.#goOn('bytes', isEmpty ? 0 : OPENS_LINE.length)
    return null
  }

  /** Returns the bytes before the next delimiter, as far as they have arrived. */
  #readToDelimiter(): Buffer | null {
    const held = this.#held
    const found = held.indexOf(this.#delimiter)
    // The last bytes may be the beginning of a delimiter.
    const end = found === -1 ? Math.max(0, held.length - this.#delimiter.length + 1) : found
    if (found === -1) this.#held = held.subarray(end)
    else this.#goOn('after delimiter', end + this.#delimiter.length)
    return end === 0 ? null : held.subarray(0, end)
  }

  #goOn(state: State, length: number): void {
    this.#state = state
    this.#held = this.#held.subarray(length)
  }

  #startsWith(text: string): boolean {
    return this.#held.toString('latin1', 0, text.length) === text
  }
}

function requireBoundary(contentType: string): string {
  const boundary = parameterOf(contentType, 'boundary')
  if (boundary === undefined || boundary === '' || boundary.length > 200) throw malformed('it has no usable boundary')
  return boundary
}

/** The header lines of a part, and the parameters of a header, that are read; further ones are ignored. */
const MAX_LINES = 32
const MAX_PARAMETERS = 32

const DEFAULT_TYPE = 'application/octet-stream'

/** The head of a text field as most clients write it, which is ten times cheaper to parse than others. */
const PLAIN_FIELD = /^\r\ncontent-disposition: form-data; name="([^"\\%\r\n]*)"$/i

/** Parses the text between a delimiter and the blank line: the rest of the delimiter's line and the header lines. */
function parseHead(text: string): PartHead {
  const plain = PLAIN_FIELD.exec(text)?.[1]
  if (plain !== undefined) return { field: plain, fileName: undefined, contentType: DEFAULT_TYPE }
  const [padding = '', ...lines] = text.split('\r\n', MAX_LINES)
  if (!/^[ \t]*$/.test(padding)) throw malformed('a delimiter is not followed by a new line')
  const headers = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim())
  }
  const disposition = headers.get('content-disposition') ?? ''
  const field = parameterOf(disposition, 'name')
  if (field === undefined) throw malformed('a part has no name')
  const contentType = headers.get('content-type') ?? DEFAULT_TYPE
  return { field, fileName: fileNameOf(disposition), contentType }
}

/**
 * Returns undefined for a text field. A name in the extended notation (RFC 8187) takes precedence over the plain one.
 */
function fileNameOf(disposition: string): string | undefined {
  const [, encoded] = /^utf-8'[^']*'(.*)$/i.exec(parameterOf(disposition, 'filename*') ?? '') ?? []
  return encoded === undefined ? parameterOf(disposition, 'filename') : decodeFormText(encoded.replaceAll('+', '%2B'))
}

/** Returns the value of `; name=value` or `; name="value"` in a header, or undefined if it is absent. */
function parameterOf(header: string, name: string): string | undefined {
  for (const [, key, quoted, bare] of header.matchAll(PARAMETER).take(MAX_PARAMETERS)) {
    if (key?.toLowerCase() === name) return quoted === undefined ? bare?.trim() : withoutEscapes(quoted)
  }
  return undefined
}

/**
 * The closing quote is optional: if it were required, each of many open quotes would search the whole remainder. A quote
 * before the end or the next parameter closes the value even after a backslash, which browsers do not escape.
 */
const PARAMETER = /;\s*([^=;\s"]+)\s*=\s*(?:"((?:[^"\\]|\\(?!"\s*(?:$|;\s*[^=;\s"]+\s*=)).|\\)*)"?|([^;]*))/gs

/** Browsers write a quote as %22 and line ends as %0D%0A; other clients escape with a backslash. */
const withoutEscapes = (text: string) =>
  text.replace(/\\(["\\])|%(22|0D|0A)/g, (_, escaped: string | undefined, hex: string) =>
    escaped === undefined ? String.fromCharCode(Number.parseInt(hex, 16)) : escaped,
  )

/**
 * The size limits of a body that is parsed while it arrives, in bytes: the headers of a part, and all text fields
 * together.
 */
const MAX_HEADERS = 16 * 1024
const MAX_TEXT = 1024 * 1024

/**
 * Adds the text fields of a `multipart/form-data` body to `fields`, and returns the files. `counted` is the number of
 * fields that were found before. The bytes of the files share the memory of the body. A malformed body is refused.
 */
export function parseMultipart(
  body: Buffer,
  contentType: string,
  fields: Map<string, string>,
  counted: number,
): UploadedFile[] {
  const files: UploadedFile[] = []
  const parser = new MultipartParser(contentType)
  if (body.length === 0) return files
  if (parser.hasMoreParts(body, MAX_FIELDS - counted)) throw tooManyFields({ limit: MAX_FIELDS })
  let count = counted
  let keepPart = (_bytes: Buffer) => {}
  let bytes: Buffer = Buffer.alloc(0)
  for (const piece of parser.push(body)) {
    if (Buffer.isBuffer(piece)) {
      bytes = piece
      continue
    }
    keepPart(bytes)
    if (++count > MAX_FIELDS) throw tooManyFields({ limit: MAX_FIELDS })
    const { field, fileName, contentType: type } = piece
    bytes = Buffer.alloc(0)
    keepPart = (bytes) => {
      if (fileName === undefined) fields.set(field, bytes.toString())
      else files.push({ field, fileName, contentType: type, bytes })
    }
  }
  parser.end()
  keepPart(bytes)
  return files
}

/**
 * Returns the files of a `multipart/form-data` body that arrives in chunks, each as its description followed by its
 * bytes. Text fields are added to `fields`. A malformed body is refused.
 */
export async function* streamFiles(
  chunks: AsyncIterable<Buffer>,
  contentType: string,
  fields: Map<string, string>,
): AsyncGenerator<FileInfo | Buffer> {
  const parser = new MultipartParser(contentType, MAX_HEADERS)
  let textLength = 0
  let count = 0
  let text: { field: string; pieces: Buffer[] } | null = null
  const keepText = () => {
    if (text !== null) fields.set(text.field, Buffer.concat(text.pieces).toString())
    text = null
  }
  for await (const chunk of chunks) {
    for (const piece of parser.push(chunk)) {
      if (!Buffer.isBuffer(piece)) {
        keepText()
        if (++count > MAX_FIELDS) throw tooManyFields({ limit: MAX_FIELDS })
        const { field, fileName } = piece
        if (fileName === undefined) text = { field, pieces: [] }
        else yield { ...piece, fileName }
      } else if (text === null) yield piece
      else {
        textLength += piece.length
        if (textLength > MAX_TEXT) throw bodyTooLarge({ limit: MAX_TEXT })
        text.pieces.push(piece)
      }
    }
  }
  parser.end()
  keepText()
}
