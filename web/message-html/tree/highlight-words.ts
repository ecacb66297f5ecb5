import type { HtmlNode } from '../parse-html.ts'

/**
 * The characters that the server accepts before and after an alert word. Borders of elements count as Markdown syntax.
 */
const BEFORE = /(?<=^|[ \n\t("'.,;[*`>])/u.source
const AFTER = /(?=$|[ \n\t)"'.,;\]*`?:!])/u.source

/** Elements with names, symbols or code, in which no words are highlighted. */
const UNMARKED_TAGS = new Set(['code', 'pre', 'math', 'svg', 'time'])
const UNMARKED_CLASSES = /(?:^| )(?:katex|emoji|user-mention|user-group-mention|topic-mention)(?: |$)/

/** Wraps each whole-word match, ignoring case, in an element of the class `alert-word`. */
export function highlightWords(nodes: readonly HtmlNode[], text: readonly string[]): HtmlNode[] {
  if (text.length === 0) return [...nodes]
  // Of several matches at one position, the longest is highlighted.
  const longestFirst = [...text].sort((one, other) => other.length - one.length)
  const pattern = new RegExp(`${BEFORE}(${longestFirst.map(escaped).join('|')})${AFTER}`, 'giu')
  return mark(nodes, pattern)
}

function mark(nodes: readonly HtmlNode[], pattern: RegExp): HtmlNode[] {
  return nodes.flatMap((node) => {
    // Splitting by a capture group puts the matches at odd indexes.
    if (typeof node === 'string')
      return node
        .split(pattern)
        .map((text, at) => (at % 2 === 0 ? text : marked(text)))
        .filter((part) => part !== '')
    const isLeft = UNMARKED_TAGS.has(node.tag) || UNMARKED_CLASSES.test(node.attributes.get('class') ?? '')
    return isLeft ? [node] : [{ ...node, children: mark(node.children, pattern) }]
  })
}

const escaped = (word: string) => word.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)

const marked = (text: string): HtmlNode => ({
  tag: 'span',
  attributes: new Map([['class', 'alert-word']]),
  children: [text],
})
