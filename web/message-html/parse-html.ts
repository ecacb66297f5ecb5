import { trustedReference } from '../ui/trusted.ts'

const COMMON: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': '\u00a0',
}

const REFERENCE = /&(?:#\d+|#x[\da-f]+|[a-z][\da-z]*);/gi

/** Decodes HTML character references. Unknown references stay as they are. */
export function decodeEntities(text: string): string {
  return text.includes('&') ? text.replace(REFERENCE, (one) => COMMON[one] ?? lookUp(one)) : text
}

/** Decodes a named reference with the browser, which knows all of the about 2,200 names. */
function lookUp(reference: string): string {
  return new DOMParser().parseFromString(trustedReference(reference), 'text/html').body.textContent || reference
}

export type HtmlNode = string | HtmlElement

export type HtmlElement = {
  /** The name in lower case. */
  readonly tag: string
  readonly attributes: ReadonlyMap<string, string>
  readonly children: HtmlNode[]
}

const VOID_TAGS = new Set(['br', 'hr', 'img', 'source'])

/**
 * The maximum depth of elements. Deeper elements are dropped and their text is kept, because rendering them could
 * overflow the stack.
 */
const MAX_DEPTH = 150

const TOKEN = /<\/([a-z][\w-]*)\s*>|<([a-z][\w-]*)((?:\s+[\w:-]+(?:="[^"]*")?)*)\s*(\/?)>|[^<]+|</gi
const ATTRIBUTE = /([\w:-]+)(?:="([^"]*)")?/g

/**
 * Parses the HTML of a message. It expects the form that the server writes, with quoted attributes and closed elements.
 * Anything else becomes text, so the page only contains what `toReact` allows. The browser's parser is not used, so
 * that nothing in the HTML can run.
 */
export function parseHtml(html: string, decode: (text: string) => string): HtmlNode[] {
  const root: HtmlNode[] = []
  const open: HtmlElement[] = []
  const append = (node: HtmlNode) => (open.at(-1)?.children ?? root).push(node)

  for (const [token, end, start, attributes, isClosed] of html.matchAll(TOKEN)) {
    if (end !== undefined) {
      const at = open.findLastIndex(({ tag }) => tag === end.toLowerCase())
      if (at >= 0) open.length = at
    } else if (start !== undefined) {
      const element = { tag: start.toLowerCase(), attributes: readAttributes(attributes ?? '', decode), children: [] }
      append(element)
      const isLeaf = isClosed === '/' || VOID_TAGS.has(element.tag)
      if (!isLeaf && open.length < MAX_DEPTH) open.push(element)
    } else append(decode(token))
  }
  return root
}

function readAttributes(text: string, decode: (text: string) => string): Map<string, string> {
  return new Map([...text.matchAll(ATTRIBUTE)].map(([, name, value]) => [name!.toLowerCase(), decode(value ?? '')]))
}

export const isElement = (node: HtmlNode | undefined): node is HtmlElement =>
  node !== undefined && typeof node !== 'string'

export const classesOf = ({ attributes }: HtmlElement): readonly string[] => attributes.get('class')?.split(/\s+/) ?? []

export const hasClass = (node: HtmlNode | undefined, name: string): node is HtmlElement =>
  isElement(node) && classesOf(node).includes(name)

export const textOf = (node: HtmlNode): string => (typeof node === 'string' ? node : node.children.map(textOf).join(''))

export const isBlank = (node: HtmlNode): boolean => typeof node === 'string' && node.trim() === ''

/** Matches a text whose first letter belongs to a script from right to left, such as Hebrew or Arabic. */
const RIGHT_TO_LEFT = /^\P{L}*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u

/** Returns the direction of the element's text. */
export const directionOf = (node: HtmlElement): 'ltr' | 'rtl' => (RIGHT_TO_LEFT.test(textOf(node)) ? 'rtl' : 'ltr')

/** Returns the first descendant that `matches` accepts, in the order of the text. */
export function findInside(node: HtmlElement, matches: (node: HtmlElement) => boolean): HtmlElement | undefined {
  for (const child of node.children) {
    if (!isElement(child)) continue
    const found = matches(child) ? child : findInside(child, matches)
    if (found !== undefined) return found
  }
  return undefined
}
