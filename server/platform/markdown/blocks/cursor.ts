import type { Chunk } from './chunk.ts'
import type { Container } from './tree.ts'

/** How lines came to where they are: as an item of a close or of a loose list, quoted, or with an item's indent off. */
export type ParseContext = 'close item' | 'loose item' | 'quoted' | 'detabbed' | null

/** What a kind of block is asked with. */
export type Cursor = {
  readonly chunk: Chunk
  /** Where its blocks go. */
  readonly parent: Container
  readonly standing: ParseContext
  /** Adds the blocks of further lines, such as those before the block or inside it, to some container. */
  readonly parse: (parent: Container, chunk: Chunk, standing: ParseContext) => void
}

/** What is left of the chunk, null when nothing is; `undefined` when the chunk has no such block. */
export type RemainingLines = Chunk | null | undefined

/** A kind of block: takes the chunk, or a part of it, if it has such a block. */
export type BlockRule = (place: Cursor) => RemainingLines

/** Quotes and items lie at most this deep in one another; what is deeper stays text, so that time stays linear. */
const DEEPEST = 20

export function mayNest({ parent }: Cursor): boolean {
  return parent.depth < DEEPEST
}
