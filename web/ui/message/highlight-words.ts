import type { HtmlNode } from './parse-html.ts'

/** What stands beside a word where the server counts it as one; the borders of elements stand for signs of Markdown. */
const BEFORE = /(?<=^|[ \n\t("'.,;[*`>])/u.source
const AFTER = /(?=$|[ \n\t)"'.,;\]*`?:!])/u.source

/** Where words are names, signs or code rather than what somebody said. */
const UNMARKED_TAGS = new Set(['code', 'pre', 'math', 'svg', 'time'])
const UNMARKED_CLASSES = /(?:^| )(?:katex|emoji|user-mention|user-group-mention|topic-mention)(?: |$)/

/** The text with an element of the class `alert-word` around each of the words that stands alone, in whatever case. */
export function highlightWords(nodes: readonly HtmlNode[], text: readonly string[]): HtmlNode[] {
  if (text.length === 0) return [...nodes]
  // Of words that begin alike the longest is marked.
  const longestFirst = [...text].sort((one, other) => other.length - one.length)
  const pattern = new RegExp(`${BEFORE}(${longestFirst.map(escaped).join('|')})${AFTER}`, 'giu')
  return mark(nodes, pattern)
}

function mark(nodes: readonly HtmlNode[], pattern: RegExp): HtmlNode[] {
  return nodes.flatMap((node) => {
    // What is split by a group with words has these at the odd places.
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
