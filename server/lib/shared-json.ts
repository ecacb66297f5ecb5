import {
  chainParts,
  deflatePart,
  deflatePartInThread,
  type GzipPart,
  gzipFile,
  inflatePart,
  joinParts,
  storePart,
} from './gzip.ts'

// JSON responses that many clients share in large part, such as a list of presences. The shared members are encoded
// and compressed once, and each response is put together from their bytes.

/** JSON that shares parts with other responses: text, and lists of members with commas between them. */
export type SharedJson = readonly (string | readonly JsonMembers[])[]

/** Some members of a JSON object or array, separated by commas: never empty. */
export type JsonMembers = {
  /** In UTF-16 units. */
  readonly length: number
  readonly text: string
  /** A comma, followed by the members, in UTF-8. */
  readonly bytes: Buffer
  /** Returns the members as a part of a gzip file. The part begins with a comma unless `isFirst` is true. */
  gzipPart(isFirst: boolean): GzipPart
}

/**
 * The number of requests for members after which they are compressed, including the current request. Members that
 * change soon are requested less often, so compressing them would not pay off.
 */
const COMPRESSED_FROM = 4

const COMMA = storePart(Buffer.from(','))

/** Members that are encoded and compressed once for all recipients, if they are requested often enough. */
export class SharedMembers implements JsonMembers {
  readonly text: string
  #bytes: Buffer | null = null
  #timesPacked = 0
  #first: GzipPart | null = null
  #further: GzipPart | null = null

  constructor(text: string) {
    this.text = text
  }

  get length(): number {
    return this.text.length
  }

  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(`,${this.text}`)
    return this.#bytes
  }

  gzipPart(isFirst: boolean): GzipPart {
    if (this.#first === null || this.#further === null) {
      const text = this.bytes.subarray(1)
      this.#timesPacked += 1
      if (this.#timesPacked < COMPRESSED_FROM) return storePart(isFirst ? text : this.bytes)
      this.#first = deflatePart(text)
      this.#further = joinParts(COMMA, this.#first)
    }
    return isFirst ? this.#first : this.#further
  }
}

/** Members that are kept only in compressed form: a fraction of the memory, for long lists that are rarely unpacked. */
export class PackedMembers implements JsonMembers {
  readonly length: number
  readonly #first: GzipPart
  readonly #further: GzipPart

  constructor(text: string, packed: GzipPart = deflatePart(Buffer.from(text))) {
    this.length = text.length
    this.#first = packed
    this.#further = chainParts(COMMA, packed)
  }

  /** Compresses the members in another thread. */
  static async pack(text: string, level: number): Promise<PackedMembers> {
    return new PackedMembers(text, await deflatePartInThread(Buffer.from(text), level))
  }

  get text(): string {
    return inflatePart(this.#first).toString()
  }

  get bytes(): Buffer {
    return inflatePart(this.#further)
  }

  /** The memory that the members take, in bytes. */
  get packedLength(): number {
    return lengthOf(this.#first.pieces)
  }

  gzipPart(isFirst: boolean): GzipPart {
    return isFirst ? this.#first : this.#further
  }
}

/** A value of a field of a response that is shared with other responses: an array or an object with these members. */
export class SharedValue {
  readonly opening: '[' | '{'
  readonly members: readonly JsonMembers[]
  readonly closing: ']' | '}'

  constructor(kind: 'array' | 'object', members: readonly JsonMembers[]) {
    this.opening = kind === 'array' ? '[' : '{'
    this.members = members
    this.closing = kind === 'array' ? ']' : '}'
  }
}

/** The minimum length of shared values that are kept apart, in UTF-16 units. Joining shorter texts is cheaper. */
const MIN_SHARED_LENGTH = 8 * 1024

/**
 * Returns the fields as `JSON.stringify` writes them, without the braces. Long shared values among them are shared;
 * without any, the result is text.
 */
export function fieldsJson(fields: Readonly<Record<string, unknown>>): string | SharedJson {
  const parts: (string | readonly JsonMembers[])[] = []
  let text = ''
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue
    if (text !== '' || parts.length > 0) text += ','
    text += `${JSON.stringify(name)}:`
    if (!(value instanceof SharedValue)) text += JSON.stringify(value)
    else {
      const { opening, members, closing } = value
      if (membersLength(members) < MIN_SHARED_LENGTH) text += toText([opening, members, closing])
      else {
        parts.push(text + opening, members)
        text = closing
      }
    }
  }
  return parts.length === 0 ? text : [...parts, text]
}

/** Returns the JSON with text before and after it. */
export function surround(before: string, json: SharedJson, after: string): SharedJson {
  const [first, ...others] = json
  const parts = typeof first === 'string' ? [before + first, ...others] : [before, ...json]
  const last = parts.at(-1)
  return typeof last === 'string' ? [...parts.slice(0, -1), last + after] : [...parts, after]
}

/** Returns the length of the JSON in UTF-16 units. */
export function jsonLength(json: SharedJson): number {
  return json.reduce((sum, part) => sum + (typeof part === 'string' ? part.length : membersLength(part)), 0)
}

/** Returns the length of the text that is not shared with other responses, in UTF-16 units. */
export function ownLength(json: SharedJson): number {
  return json.reduce((sum, part) => sum + (typeof part === 'string' ? part.length : 0), 0)
}

const membersLength = (members: readonly JsonMembers[]) => members.reduce((sum, { length }) => sum + length, 0)

export function toText(json: SharedJson): string {
  return json.map((part) => (typeof part === 'string' ? part : part.map(({ text }) => text).join(','))).join('')
}

/** Returns the JSON as UTF-8, in pieces that are shared with other responses. */
export function toBytes(json: SharedJson): Buffer[] {
  return json.flatMap((part) => {
    if (typeof part === 'string') return [Buffer.from(part)]
    const [first, ...rest] = part.map(({ bytes }) => bytes)
    return first === undefined ? [] : [first.subarray(1), ...rest]
  })
}

/**
 * Returns the JSON as a gzip file. Returns null if compression would save less than a quarter, for example because the
 * members have rarely been requested and are not compressed yet.
 */
export function toGzip(json: SharedJson): Buffer | null {
  const parts = json.flatMap((part) =>
    typeof part === 'string' ? [storePart(Buffer.from(part))] : part.map((members, at) => members.gzipPart(at === 0)),
  )
  const pieces = gzipFile(parts)
  const length = lengthOf(pieces)
  return length < 0.75 * jsonLength(json) ? Buffer.concat(pieces, length) : null
}

const lengthOf = (pieces: readonly Buffer[]) => pieces.reduce((sum, piece) => sum + piece.length, 0)
