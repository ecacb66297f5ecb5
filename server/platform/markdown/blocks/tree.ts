import type { Alignment } from './table-rows.ts'

/** What a message consists of. Text stands by itself in the items of lists that are written closely. */
export type Child = Block | string

export type Block = Container | Leaf

export type Container = {
  readonly kind: 'root' | 'quote' | 'unordered' | 'ordered' | 'item'
  /** How many quotes and items surround what it holds. */
  readonly depth: number
  /** The number of the first item, as typed; absent when it is 1. */
  readonly start?: string
  readonly children: Child[]
}

export type Leaf =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'rule' }
  | { readonly kind: 'indented code'; text: string }
  | Table
  | Fenced

/** The header comes first. */
export type Table = {
  readonly kind: 'table'
  readonly rows: readonly string[][]
  readonly alignments: readonly Alignment[]
}

/** What stands between fences and holds no Markdown; a spoiler comes in three parts, with its blocks between them. */
export type Fenced =
  | { readonly kind: 'listing'; readonly language: string; readonly source: string }
  | { readonly kind: 'formulas'; readonly source: string }
  | { readonly kind: 'spoiler header' | 'spoiler content' | 'spoiler end' }

export function isList(block: Block | undefined): block is Container {
  return block?.kind === 'unordered' || block?.kind === 'ordered'
}

export function isItem(block: Block | undefined): block is Container {
  return block?.kind === 'item'
}

/** Adds an empty one at the end. */
export function addContainer(parent: Container, kind: Container['kind'], start?: string): Container {
  const depth = parent.depth + (kind === 'item' || kind === 'quote' ? 1 : 0)
  const added: Container = { kind, depth, ...(start !== undefined && { start }), children: [] }
  parent.children.push(added)
  return added
}

/** The last block, whatever text follows it. */
export function lastBlock({ children }: Container): Block | undefined {
  return children.findLast((child) => typeof child !== 'string')
}

/** The text that an item begins with becomes a paragraph, as its list is no longer written closely. */
export function loosen({ children }: Container): void {
  if (typeof children[0] === 'string') children[0] = { kind: 'paragraph', text: children[0] }
}
