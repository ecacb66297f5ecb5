import type { Alignment } from './table-rows.ts'

/** A part of a message. Plain strings are the text of items in tight lists. */
export type Child = Block | string

export type Block = Container | Leaf

export type Container = {
  readonly kind: 'root' | 'quote' | 'unordered' | 'ordered' | 'item'
  /** The number of surrounding quotes and items. */
  readonly depth: number
  /** The number of the first item, as typed; omitted if it is 1. */
  readonly start?: string
  readonly children: Child[]
}

type Leaf =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'rule' }
  | { readonly kind: 'indented code'; text: string }
  | Table
  | Fenced

/** The first row is the header. */
export type Table = {
  readonly kind: 'table'
  readonly rows: readonly string[][]
  readonly alignments: readonly Alignment[]
}

/**
 * A fenced block without Markdown. Three of these mark the header, the content and the end of a spoiler. The blocks of
 * the spoiler are between them.
 */
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

/** Appends an empty container. */
export function addContainer(parent: Container, kind: Container['kind'], start?: string): Container {
  const depth = parent.depth + (kind === 'item' || kind === 'quote' ? 1 : 0)
  const added: Container = { kind, depth, ...(start !== undefined && { start }), children: [] }
  parent.children.push(added)
  return added
}

/** Returns the last block, even if text follows it. */
export function lastBlock({ children }: Container): Block | undefined {
  return children.findLast((child) => typeof child !== 'string')
}

/** Turns the text at the beginning of an item into a paragraph, because its list is loose. */
export function loosen({ children }: Container): void {
  if (typeof children[0] === 'string') children[0] = { kind: 'paragraph', text: children[0] }
}
