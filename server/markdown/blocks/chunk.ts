import type { Container } from './tree.ts'

/** Consecutive non-blank lines from a given line on. The first line may be blank. */
export class Chunk {
  readonly #lines: readonly string[]
  readonly #from: number
  /** The index of the next heading among all lines, once it has been searched for. */
  #heading: number | undefined

  constructor(lines: readonly string[], from = 0, heading?: number) {
    this.#lines = lines
    this.#from = from
    this.#heading = heading
  }

  get length(): number {
    return this.#lines.length - this.#from
  }

  line(index: number): string {
    return this.#lines[this.#from + index] ?? ''
  }

  lines(): readonly string[] {
    return this.#lines.slice(this.#from)
  }

  text(): string {
    return this.lines().join('\n')
  }

  /** Returns the lines before the index; null if there are none. */
  before(index: number): Chunk | null {
    return index === 0 ? null : new Chunk(this.#lines.slice(this.#from, this.#from + index))
  }

  /** Returns the lines from the index on, without copying them; null if there are none. */
  after(index: number): Chunk | null {
    const from = this.#from + index
    const heading = this.#heading !== undefined && this.#heading >= from ? this.#heading : undefined
    return from < this.#lines.length ? new Chunk(this.#lines, from, heading) : null
  }

  /** Returns the index of the first matching line; -1 if there is none. */
  find(isWanted: (index: number) => boolean): number {
    for (let index = 0; index < this.length; index++) if (isWanted(index)) return index
    return -1
  }

  /** Like `find`, but tests each line only once, even when later parts of the chunk are searched as well. */
  findHeading(isHeading: (index: number) => boolean): number {
    if (this.#heading === undefined) {
      const found = this.find(isHeading)
      this.#heading = found < 0 ? this.#lines.length : this.#from + found
    }
    return this.#heading < this.#lines.length ? this.#heading - this.#from : -1
  }
}

/** Splits the text at blank lines. */
export function chunksOf(text: string): Chunk[] {
  return text.split('\n\n').map((chunk) => new Chunk(chunk.split('\n')))
}

/** The context of the lines: an item of a tight or loose list, a quote, or an item whose indent was removed. */
export type ParseContext = 'close item' | 'loose item' | 'quoted' | 'detabbed' | null

/** The input of a block rule. */
export type Cursor = {
  readonly chunk: Chunk
  /** The container to which the rule adds its blocks. */
  readonly parent: Container
  readonly parseContext: ParseContext
  /** Parses further lines, such as those before or inside the block, into a container. */
  readonly parse: (parent: Container, chunk: Chunk, parseContext: ParseContext) => void
}

/** The rest of the chunk; null if nothing is left; `undefined` if the rule does not match. */
export type RemainingLines = Chunk | null | undefined

/** A rule for one kind of block. If the rule matches, it consumes the chunk or a part of it. */
export type BlockRule = (cursor: Cursor) => RemainingLines

/** The maximum nesting of quotes and list items. Deeper ones stay text, so that parsing takes linear time. */
const MAX_NESTING = 20

export function mayNest({ parent }: Cursor): boolean {
  return parent.depth < MAX_NESTING
}
