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
