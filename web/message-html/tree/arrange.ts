import { classesOf, findInside, type HtmlElement, type HtmlNode, hasClass, isBlank, isElement } from '../parse-html.ts'

/** Classes of elements that `arrange` adds. */
export const PICTURES = 'message-pictures'
export const FILE = 'message-file'

/** The attribute with the address of the quoted message. */
export const QUOTE_SOURCE = 'data-quote-source'

/** Classes of blocks whose content `arrange` leaves as it is. */
const WHOLE = new Set(['codehilite', 'message_embed', 'message_inline_image'])

const CONTAINERS = new Set(['blockquote', 'div', 'li', 'ol', 'ul'])

/**
 * Arranges the blocks of a message for display. A line of links to files becomes cards and pictures of the files, in
 * the order of the links. Consecutive pictures form a group, and a quote gets the address of the quoted message.
 */
export function arrange(nodes: readonly HtmlNode[]): HtmlNode[] {
  const pictures = new Map(nodes.filter(isPicture).map((node) => [addressOf(node), node]))
  const placed = new Set<HtmlNode>()
  const blocks = nodes.flatMap((node, at): HtmlNode[] => {
    if (!isElement(node)) return [node]
    if (placed.has(node)) return []
    if (node.tag === 'p') return withFiles(node, pictures, placed)
    if (!CONTAINERS.has(node.tag)) return [node]
    const children = classesOf(node).some((name) => WHOLE.has(name)) ? node.children : arrange(node.children)
    return [node.tag === 'blockquote' ? withSource({ ...node, children }, nodes, at) : { ...node, children }]
  })
  return withPictureRows(blocks)
}

const isPicture = (node: HtmlNode): node is HtmlElement => hasClass(node, 'message_inline_image')

const addressOf = (node: HtmlElement) => findInside(node, ({ tag }) => tag === 'a')?.attributes.get('href')

function withPictureRows(nodes: readonly HtmlNode[]): HtmlNode[] {
  const result: HtmlNode[] = []
  let row: HtmlNode[] = []
  for (const node of nodes) {
    if (isPicture(node)) {
      if (row.length === 0) result.push({ tag: 'div', attributes: new Map([['class', PICTURES]]), children: row })
      row.push(node)
    } else if (row.length === 0 || !isBlank(node)) {
      result.push(node)
      row = []
    }
  }
  return result
}

/**
 * Replaces lines of links to uploaded files with the pictures of the files, which the server puts after the paragraph,
 * or else with cards. Adds the pictures to `placed`.
 */
function withFiles(
  paragraph: HtmlElement,
  pictures: ReadonlyMap<string | undefined, HtmlNode>,
  placed: Set<HtmlNode>,
): HtmlNode[] {
  if (!paragraph.children.some(isFileLink)) return [paragraph]
  const result: HtmlNode[] = []
  let text: HtmlNode[] = []
  const flush = () => {
    if (!text.every(isBlank)) result.push({ ...paragraph, children: text })
    text = []
  }
  for (const line of linesOfParagraph(paragraph.children)) {
    if (line.some(isFileLink) && line.every((node) => isFileLink(node) || isBlank(node))) {
      flush()
      for (const node of line.filter(isFileLink)) {
        const picture = pictures.get(node.attributes.get('href'))
        if (picture === undefined) result.push({ tag: 'div', attributes: new Map([['class', FILE]]), children: [node] })
        else if (!placed.has(picture)) result.push(picture)
        if (picture !== undefined) placed.add(picture)
      }
    } else {
      if (text.length > 0) text.push({ tag: 'br', attributes: new Map(), children: [] })
      text.push(...line)
    }
  }
  flush()
  return result
}

function linesOfParagraph(nodes: readonly HtmlNode[]): HtmlNode[][] {
  const lines: HtmlNode[][] = [[]]
  for (const node of nodes) {
    if (isElement(node) && node.tag === 'br') lines.push([])
    else lines.at(-1)!.push(node)
  }
  return lines
}

const isFileLink = (node: HtmlNode): node is HtmlElement =>
  isElement(node) && node.tag === 'a' && node.attributes.get('href')?.startsWith('/user_uploads/') === true

/**
 * Adds the address of the quoted message to a quote. Clients put a link to the message into the line before the quote.
 */
function withSource(quote: HtmlElement, nodes: readonly HtmlNode[], at: number): HtmlElement {
  const before = nodes.slice(0, at).findLast((node) => !isBlank(node))
  if (!isElement(before) || before.tag !== 'p') return quote
  const source = findInside(before, ({ tag, attributes }) => tag === 'a' && isMessageLink(attributes.get('href')))
  const address = source?.attributes.get('href')
  if (address === undefined) return quote
  return { ...quote, attributes: new Map([...quote.attributes, [QUOTE_SOURCE, address]]) }
}

const isMessageLink = (href: string | undefined) => href !== undefined && /^\/?#narrow\/.*\/near\/\d+$/.test(href)
