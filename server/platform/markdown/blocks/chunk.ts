/** Neighbouring lines without a blank one between them, from one of them on. A blank one may stand at the beginning. */
export class Chunk {
  readonly #lines: readonly string[]
  readonly #from: number
  /** Where the next heading is among all the lines, once somebody has looked. */
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

  /** The lines before the one with the index; null when there are none. */
  before(index: number): Chunk | null {
    return index === 0 ? null : new Chunk(this.#lines.slice(this.#from, this.#from + index))
  }

  /** The lines from the one with the index on, at no cost; null when there are none. */
  after(index: number): Chunk | null {
    const from = this.#from + index
    const heading = this.#heading !== undefined && this.#heading >= from ? this.#heading : undefined
    return from < this.#lines.length ? new Chunk(this.#lines, from, heading) : null
  }

  /** The index of the first line that is wanted; -1 when none is. */
  find(isWanted: (index: number) => boolean): number {
    for (let index = 0; index < this.length; index++) if (isWanted(index)) return index
    return -1
  }

  /** As `find`, looking at each line once, however often what is left of the chunk is asked again. */
  findHeading(isHeading: (index: number) => boolean): number {
    if (this.#heading === undefined) {
      const found = this.find(isHeading)
      this.#heading = found < 0 ? this.#lines.length : this.#from + found
    }
    return this.#heading < this.#lines.length ? this.#heading - this.#from : -1
  }
}

/** What blank lines part. */
export function chunksOf(text: string): Chunk[] {
  return text.split('\n\n').map((chunk) => new Chunk(chunk.split('\n')))
}
