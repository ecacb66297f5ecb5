import type { StateBlock } from 'markdown-it'
import { collectItems, type Item, parseMarker } from './list-items.ts'
import { lineAt, mayNest, parseNested } from './nested.ts'

/** Lists with `*`, `+`, `-` or numbers, whose inner lists are indented by two spaces. */
export function list(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const first = parseMarker(lineAt(state, startLine))
  if (!first || !mayNest(state)) return false
  // "I was born in / 1986. What a year" begins no list.
  if (silent) return first.number < 10

  const { items, nextLine } = collectItems(state, first, startLine, endLine)
  const tag = first.ordered ? 'ol' : 'ul'
  const opening = state.push('list_open', tag, 1)
  if (first.ordered && first.number !== 1) opening.attrSet('start', first.number)
  for (const item of items) pushItem(state, item)
  state.push('list_close', tag, -1)
  state.line = nextLine
  return true
}

/** The text of an item that stands close to its neighbours is no paragraph. */
function pushItem(state: StateBlock, item: Item): void {
  state.push('item_open', 'li', 1)
  const begin = state.tokens.length
  parseNested(state, item.lines.join('\n'))
  const [opening, , closing] = state.tokens.slice(begin, begin + 3)
  if (!item.loose && opening?.type === 'paragraph_open' && closing) {
    opening.hidden = true
    closing.hidden = true
  }
  state.push('item_close', 'li', -1)
}
