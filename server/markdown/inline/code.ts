import type { StateInline } from 'markdown-it'
import { element, fromCode, fromText, joinMarkup, type Markup, nothing } from '../markup.ts'
import { pushMarkup } from './push.ts'

/** Code between runs of equally many backticks, its spaces kept. A backslash before the first run takes its meaning. */
export function code(state: StateInline): boolean {
  if (state.src[state.pos] !== '`') return false
  const length = runLength(state.src, state.pos)
  const end = endOfCode(state, state.pos, length)
  if (end === null) {
    state.pending += state.src.slice(state.pos, state.pos + length)
    state.pos += length
    return true
  }
  return pushMarkup(state, codeElement(state.src.slice(state.pos + length, end - length)), end)
}

/** Where the code whose backticks begin at a place ends, its closing ones included; `null` when it is none. */
export function endOfCode(state: StateInline, at: number, length: number = runLength(state.src, at)): number | null {
  const closing = isEscaped(state.src, at) ? null : findRun(state, at + length, length)
  return closing === null ? null : closing + length
}

/** A link's label, in which code is all that counts. */
export function labelToHtml(label: string): Markup {
  const parts = label.split(/(?<![`\\])(`+)(?!`)([^`]+)(?<!`)\1(?!`)/)
  let html = nothing
  for (let index = 0; index < parts.length; index += 3) {
    const source = parts[index + 2]
    html = joinMarkup(html, fromText(parts[index] ?? ''), source === undefined ? nothing : codeElement(source))
  }
  return html
}

function codeElement(source: string): Markup {
  return element('code', {}, fromCode(source))
}

/** Each run is looked at once per text: the state remembers where the last run of each length begins. */
function findRun(state: StateInline, from: number, length: number): number | null {
  if (state.backticksScanned && (state.backticks[length] ?? -1) < from) return null
  for (let at = state.src.indexOf('`', from); at >= 0; ) {
    const found = runLength(state.src, at)
    if (found === length) return at
    state.backticks[found] = Math.max(state.backticks[found] ?? -1, at)
    at = state.src.indexOf('`', at + found)
  }
  state.backticksScanned = true
  return null
}

function runLength(src: string, from: number): number {
  let end = from
  while (src[end] === '`') end++
  return end - from
}

function isEscaped(src: string, at: number): boolean {
  let backslashes = 0
  while (src[at - 1 - backslashes] === '\\') backslashes++
  return backslashes % 2 === 1
}
