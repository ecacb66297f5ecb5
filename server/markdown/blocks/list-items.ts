import type { StateBlock } from 'markdown-it'
import { isInterrupted, lineAt } from './nested.ts'

export type Item = {
  lines: string[] /** Whether a blank line parts it from its neighbours or runs through it. */
  loose: boolean
}
export type Marker = {
  readonly indent: number
  readonly ordered: boolean
  readonly number: number
  readonly text: string
}

/** What belongs to an item is indented by this much more than its marker. */
const STEP = 2
const ITEM = /^( {0,3})(?:[*+-]|(\d{1,9})\.) +(.*)$/

export function parseMarker(line: string): Marker | null {
  const match = ITEM.exec(line)
  if (!match) return null
  const [, indent = '', number, text = ''] = match
  return { indent: indent.length, ordered: number !== undefined, number: Number(number ?? 0), text }
}

/** The items of the list that begins with `first` on `startLine`, and the line after the last. */
export function collectItems(
  state: StateBlock,
  first: Marker,
  startLine: number,
  endLine: number,
): { items: Item[]; nextLine: number } {
  let item: Item = { lines: [first.text], loose: false }
  const items = [item]
  let nextLine = startLine + 1
  for (let line = nextLine; line < endLine; line++) {
    if (state.isEmpty(line)) continue
    const text = lineAt(state, line)
    const afterBlank = line > nextLine
    const inside = indentOf(text) >= first.indent + STEP
    const marker = inside ? null : siblingOf(first, text)
    if (marker) {
      if (afterBlank) item.loose = true
      item = { lines: [marker.text], loose: afterBlank }
      items.push(item)
    } else if (inside) {
      if (afterBlank) {
        item.loose = true
        item.lines.push('')
      }
      item.lines.push(text.slice(first.indent + STEP))
    } else {
      if (afterBlank || isInterrupted(state, 'list', line, endLine)) break
      item.lines.push(text)
    }
    nextLine = line + 1
  }
  return { items, nextLine }
}

function siblingOf(first: Marker, line: string): Marker | null {
  const marker = parseMarker(line)
  return marker?.ordered === first.ordered ? marker : null
}

function indentOf(line: string): number {
  return /^ */.exec(line)?.[0].length ?? 0
}
