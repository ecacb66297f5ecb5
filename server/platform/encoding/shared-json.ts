import { deflatePart, type GzipPart, gzipFile, joinParts, storePart } from './gzip.ts'

/** JSON, most of which stands in other answers as well. */
export type SharedJson = {
  readonly before: string
  /** Commas come between them. */
  readonly members: readonly SharedMembers[]
  readonly after: string
}

/** From so many answers on that they stand in, members are compressed: news that soon changes again is in fewer. */
const COMPRESSED_FROM = 4

const COMMA = storePart(Buffer.from(','))

/** Some members of a JSON object, separated by commas: made into bytes, and compressed, once for all who get them. */
export class SharedMembers {
  /** Not empty. */
  readonly text: string
  #bytes: Buffer | null = null
  #timesPacked = 0
  #first: GzipPart | null = null
  #further: GzipPart | null = null

  constructor(text: string) {
    this.text = text
  }

  /** As UTF-8, after a comma. */
  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(`,${this.text}`)
    return this.#bytes
  }

  /** For a gzip file in which they come first, or follow others and a comma. */
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

/** In characters. */
export function jsonLength({ before, members, after }: SharedJson): number {
  return members.reduce((length, { text }) => length + text.length, before.length + after.length)
}

export function toText({ before, members, after }: SharedJson): string {
  return `${before}${members.map(({ text }) => text).join(',')}${after}`
}

/** As UTF-8, in pieces that others share. */
export function toBytes({ before, members, after }: SharedJson): Buffer[] {
  const [first, ...rest] = members.map(({ bytes }) => bytes)
  const shared = first === undefined ? [] : [first.subarray(1), ...rest]
  return [Buffer.from(before), ...shared, Buffer.from(after)]
}

/** As a gzip file; null where that is not shorter by a quarter, as while little of it was asked for before. */
export function toGzip(json: SharedJson): Buffer | null {
  const parts = json.members.map((members, at) => members.gzipPart(at === 0))
  const pieces = gzipFile([storePart(Buffer.from(json.before)), ...parts, storePart(Buffer.from(json.after))])
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  return length < 0.75 * jsonLength(json) ? Buffer.concat(pieces, length) : null
}
