import type { StateInline } from 'markdown-it'
import { contextOf } from '../context.ts'
import { element, fromText } from '../markup.ts'
import { relativeUrl, safeUrl } from '../url.ts'
import { endOfCode, labelToHtml } from './code.ts'
import { pushMarkup } from './push.ts'

/** Brackets in labels and addresses nest this deep; the bound keeps searching for their ends linear. */
const DEEPEST = 10

/** `[label](address "title")`; one whose address may not be linked stays text, and so does an image. */
export function link(state: StateInline): boolean {
  const { src, pos } = state
  if (src[pos] !== '[' || src[pos - 1] === '!') return false
  const labelEnd = findEndOfLabel(state)
  if (labelEnd === null || src[labelEnd + 1] !== '(') return false
  const end = findEndOfTarget(src, labelEnd + 1)
  if (end === null) return false

  const { address, title } = splitTarget(src.slice(labelEnd + 2, end))
  const url = safeUrl(address)
  if (url === null) return false
  const href = relativeUrl(url, contextOf(state).scope.realmUrl)
  const label = src.slice(pos + 1, labelEnd)
  const content = label.trim() === '' ? fromText(href) : labelToHtml(label)
  contextOf(state).shownLinks.push({ url: href, text: label.trim() === '' ? href : label })
  return pushMarkup(state, element('a', title === undefined ? { href } : { href, title }, content), end + 1)
}

/** Brackets inside code do not count. */
function findEndOfLabel(state: StateInline): number | null {
  let depth = 0
  for (let at = state.pos; at < state.src.length; at++) {
    const character = state.src[at]
    if (character === '`' && state.src[at - 1] !== '`') at = (endOfCode(state, at) ?? at + 1) - 1
    if (character === '[' && ++depth > DEEPEST) return null
    if (character === ']' && --depth === 0) return at
  }
  return null
}

function findEndOfTarget(src: string, from: number): number | null {
  let depth = 0
  for (let at = from; at < src.length; at++) {
    if (src[at] === '(' && ++depth > DEEPEST) return null
    if (src[at] === ')' && --depth === 0) return at
  }
  return null
}

function splitTarget(target: string): { address: string; title?: string } {
  const titled = /^([^"']*)\s(["'])(.*)\2\s*$/s.exec(target)
  const address = (titled?.[1] ?? target).trim()
  const bracketed = /^<(.*)>$/.exec(address)
  return { address: bracketed?.[1] ?? address, title: titled?.[3] }
}
