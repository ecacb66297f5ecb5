import { decodeEntities, type HtmlElement, type HtmlNode, parseHtml } from '../../message-html/parse-html.ts'

/**
 * The maximum length of HTML to convert, in characters. Longer HTML is pasted as plain text, because it would probably
 * exceed the length of a message.
 */
const MAX_HTML = 200_000

/**
 * Declarations and tags without content. They are removed, because some programs omit the quotes of their attributes,
 * and `parseHtml` refuses such tags.
 */
const DECLARATIONS = /<(?:!doctype|meta|link)\b[^<>]*>/gi

const UNSEEN: ReadonlySet<string> = new Set(['style', 'script', 'title', 'template'])

const MARKS: Readonly<Record<string, string>> = {
  b: '**',
  strong: '**',
  i: '*',
  em: '*',
  s: '~~',
  del: '~~',
  strike: '~~',
}

const CODE: ReadonlySet<string> = new Set(['code', 'kbd', 'samp', 'tt'])
const HEADINGS: readonly string[] = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']
const LISTS: ReadonlySet<string> = new Set(['ul', 'ol'])
/** Elements that look different from plain text. */
const FORMATS: ReadonlySet<string> = new Set([
  ...['a', 'blockquote', 'hr', 'pre', 'table'],
  ...[...Object.keys(MARKS), ...CODE, ...HEADINGS, ...LISTS],
])
const BLOCKS: ReadonlySet<string> = new Set([
  ...['address', 'article', 'aside', 'blockquote', 'dd', 'div', 'dl', 'dt', 'figure', 'footer', 'form', 'header'],
  ...['hr', 'li', 'main', 'nav', 'ol', 'p', 'pre', 'section', 'table', 'tr', 'ul', ...HEADINGS],
])

/**
 * Returns Markdown for HTML that was copied elsewhere. Returns null if the plain text should be pasted instead, because
 * the HTML has no formatting, is too long, or is not HTML that a browser would write.
 */
export function markdownFromHtml(html: string): string | null {
  if (html.length > MAX_HTML) return null
  let isBroken = false
  const nodes = parseHtml(withoutComments(html).replace(DECLARATIONS, ''), (text) => {
    isBroken ||= text === '<'
    return decodeEntities(text)
  })
  return isBroken || !isFormatted(nodes) ? null : blocksOf(nodes).join('\n\n')
}

function withoutComments(html: string): string {
  const [before = '', ...rest] = html.split('<!--')
  return before + rest.map((part) => (part.includes('-->') ? part.slice(part.indexOf('-->') + 3) : '')).join('')
}

const isElement = (node: HtmlNode): node is HtmlElement => typeof node !== 'string'

const isFormatted = (nodes: readonly HtmlNode[]): boolean =>
  nodes.some((node) => isElement(node) && (FORMATS.has(node.tag) || isFormatted(node.children)))

const holdsBlock = (node: HtmlNode): boolean =>
  isElement(node) && (BLOCKS.has(node.tag) || node.children.some(holdsBlock))

function blocksOf(nodes: readonly HtmlNode[]): string[] {
  const blocks: string[] = []
  let line: HtmlNode[] = []
  function endLine() {
    const text = lineOf(line)
    if (text !== '') blocks.push(text)
    line = []
  }
  for (const node of nodes) {
    if (!isElement(node) || !holdsBlock(node)) line.push(node)
    else {
      endLine()
      blocks.push(...blockOf(node))
    }
  }
  endLine()
  return blocks
}

function blockOf(element: HtmlElement): string[] {
  const { tag, children } = element
  if (LISTS.has(tag)) return [listOf(element).join('\n')]
  if (HEADINGS.includes(tag)) return [`${'#'.repeat(HEADINGS.indexOf(tag) + 1)} ${lineOf(children)}`]
  if (tag === 'hr') return ['---']
  if (tag === 'pre') return [fenced(textOf(element).replace(/\n$/, ''))]
  if (tag === 'table') return tableOf(element)
  const blocks = blocksOf(children)
  return tag === 'blockquote' && blocks.length > 0 ? [prefixed(blocks.join('\n\n'), '> ')] : blocks
}

/** Returns the lines of a list. Content outside of its items belongs to the item before. */
function listOf({ tag, children }: HtmlElement): string[] {
  const lines: string[] = []
  let number = 0
  for (const child of children.filter(isElement)) {
    const inner = child.tag === 'li' ? blocksOf(child.children) : blockOf(child)
    if (child.tag === 'li') number += 1
    const mark = tag === 'ol' ? `${number}. ` : '- '
    const body = prefixed(inner.join('\n'), '  ')
    if (inner.length > 0) lines.push(child.tag === 'li' ? mark + body.slice(2) : body)
  }
  return lines
}

function tableOf(table: HtmlElement): string[] {
  const rows = descendants(table, 'tr').map(({ children }) =>
    children
      .filter(isElement)
      .filter(({ tag }) => tag === 'td' || tag === 'th')
      .map((cell) => lineOf([cell]).replaceAll('\n', ' ').replaceAll('|', '\\|')),
  )
  const width = Math.max(0, ...rows.map((row) => row.length))
  if (width === 0) return []
  const [head = [], ...rest] = rows.map(
    (row) => `| ${Array.from({ length: width }, (_, at) => row[at] ?? '').join(' | ')} |`,
  )
  return [[head, `|${' --- |'.repeat(width)}`, ...rest].join('\n')]
}

const descendants = (element: HtmlElement, tag: string): HtmlElement[] =>
  element.children.filter(isElement).flatMap((child) => (child.tag === tag ? [child] : descendants(child, tag)))

/** Returns inline content as Markdown. It has several lines if the content has line breaks. */
const lineOf = (nodes: readonly HtmlNode[]): string =>
  inlineOf(nodes)
    .replace(/ *\n */g, '\n')
    .replace(/ {2,}/g, ' ')
    .trim()

const inlineOf = (nodes: readonly HtmlNode[]): string =>
  nodes.map((node) => (isElement(node) ? inlineElement(node) : node.replace(/[\s\u00a0]+/g, ' '))).join('')

function inlineElement(element: HtmlElement): string {
  const { tag, attributes, children } = element
  if (UNSEEN.has(tag)) return ''
  if (tag === 'br') return '\n'
  if (tag === 'img') return attributes.get('alt') ?? ''
  if (CODE.has(tag)) return wrapped(textOf(element), '`')
  const text = inlineOf(children)
  if (tag === 'a') return linked(text, attributes.get('href') ?? '')
  // Some editors wrap everything in a bold element that is not bold.
  const isPlain = /font-(?:weight|style):\s*normal/.test(attributes.get('style') ?? '')
  const mark = isPlain ? undefined : MARKS[tag]
  return mark === undefined ? text : wrapped(text, mark)
}

/** Wraps text in marks, without spaces next to them. */
function wrapped(text: string, mark: string): string {
  const bare = text.trim()
  if (bare === '' || bare.includes('\n')) return text
  const [before = '', after = ''] = text.split(bare)
  return before + mark + bare + mark + after
}

function linked(text: string, url: string): string {
  const bare = text.trim()
  if (!/^(?:https?|mailto):/i.test(url) || bare === '') return text
  return bare === url ? text : text.replace(bare, () => `[${bare.replaceAll('\n', ' ')}](${url})`)
}

const textOf = (node: HtmlNode): string =>
  isElement(node) ? (node.tag === 'br' ? '\n' : node.children.map(textOf).join('')) : node

const prefixed = (text: string, prefix: string): string => text.replace(/^/gm, prefix)

function fenced(text: string): string {
  if (!text.includes('\n')) return wrapped(text, '`')
  const fence = text.includes('```') ? '~~~' : '```'
  return `${fence}\n${text}\n${fence}`
}
