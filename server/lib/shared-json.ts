import { deflatePart, type GzipPart, gzipFile, joinParts, storePart } from './gzip.ts'

// JSON responses that many clients share in large part, such as a list of presences. The shared members are encoded
// and compressed once, and each response is put together from their bytes.

/** JSON that shares most of its members with other responses. */
export type SharedJson = {
  readonly before: string
  /** Commas separate the members in the JSON. */
  readonly members: readonly SharedMembers[]
  readonly after: string
}

/**
 * The number of requests for members after which they are compressed, including the current request. Members that
 * change soon are requested less often, so compressing them would not pay off.
 */
const COMPRESSED_FROM = 4

const COMMA = storePart(Buffer.from(','))

/** Some members of a JSON object, separated by commas. They are encoded and compressed once for all recipients. */
export class SharedMembers {
  /** The members as JSON text, never empty. */
  readonly text: string
  #bytes: Buffer | null = null
  #timesPacked = 0
  #first: GzipPart | null = null
  #further: GzipPart | null = null

  constructor(text: string) {
    this.text = text
  }

  /** A comma, followed by the members, in UTF-8. */
  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(`,${this.text}`)
    return this.#bytes
  }

  /** Returns the members as a part of a gzip file. The part begins with a comma unless `isFirst` is true. */
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

/** Returns the length of the JSON in UTF-16 units. */
export function jsonLength({ before, members, after }: SharedJson): number {
  return members.reduce((length, { text }) => length + text.length, before.length + after.length)
}

export function toText({ before, members, after }: SharedJson): string {
  return `${before}${members.map(({ text }) => text).join(',')}${after}`
}

/** Returns the JSON as UTF-8, in pieces that are shared with other responses. */
export function toBytes({ before, members, after }: SharedJson): Buffer[] {
  const [first, ...rest] = members.map(({ bytes }) => bytes)
  const shared = first === undefined ? [] : [first.subarray(1), ...rest]
  return [Buffer.from(before), ...shared, Buffer.from(after)]
}

/**
 * Returns the JSON as a gzip file. Returns null if compression would save less than a quarter, for example because the
 * members have rarely been requested and are not compressed yet.
 */
export function toGzip(json: SharedJson): Buffer | null {
  const parts = json.members.map((members, at) => members.gzipPart(at === 0))
  const pieces = gzipFile([storePart(Buffer.from(json.before)), ...parts, storePart(Buffer.from(json.after))])
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  return length < 0.75 * jsonLength(json) ? Buffer.concat(pieces, length) : null
}
