import type { Chunk } from './chunk.ts'
import type { Container } from './tree.ts'

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
