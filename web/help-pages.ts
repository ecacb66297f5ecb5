import MarkdownIt from 'markdown-it'
import type { Plugin } from 'vite'

/**
 * Text, or an element. `href` is the name of the help page to which a link leads. `src` is the name of a picture; the
 * picture's text is its only child.
 */
export type HelpNode =
  | string
  | { readonly tag: string; readonly href?: string; readonly src?: string; readonly children: readonly HelpNode[] }

/** A help page, from `pages/<name>.md`. */
export type HelpPage = {
  readonly title: string
  /** A sentence that describes when the page helps. */
  readonly summary: string
  readonly body: readonly HelpNode[]
}

const PAGE = /[\\/]web[\\/]help[\\/]pages[\\/][^\\/]+\.md$/

/** Turns the Markdown of help pages into data when the client is built, so that browsers need no parser. */
export function helpPages(): Plugin {
  return {
    name: 'help-pages',
    transform: (code, id) =>
      PAGE.test(id) ? { code: `export default ${JSON.stringify(parseHelpPage(code))}`, map: null } : null,
  }
}

const markdown = new MarkdownIt({ html: false })

type Token = ReturnType<typeof markdown.parse>[number]

/**
 * Parses a page: its title, a paragraph that describes when the page helps, and its body. Throws if the page does not
 * begin with a title and a paragraph.
 */
export function parseHelpPage(source: string): HelpPage {
  const [heading, summary, ...body] = toNodes(markdown.parse(source, {}))
  if (!isElement(heading, 'h1') || !isElement(summary, 'p'))
    throw new Error(`A help page begins with a title and a paragraph, not with “${source.slice(0, 80)}”`)
  return { title: textOf(heading), summary: textOf(summary), body }
}

const isElement = (node: HelpNode | undefined, tag: string): node is Exclude<HelpNode, string> =>
  node !== undefined && typeof node !== 'string' && node.tag === tag

const textOf = (node: HelpNode): string => (typeof node === 'string' ? node : node.children.map(textOf).join(''))

function toNodes(tokens: readonly Token[]): HelpNode[] {
  const root: HelpNode[] = []
  const open: HelpNode[][] = [root]
  for (const token of tokens) {
    const here = open.at(-1)!
    if (token.type === 'inline') here.push(...toNodes(token.children ?? []))
    else if (token.type === 'text') here.push(...(token.content === '' ? [] : [token.content]))
    else if (token.type === 'softbreak') here.push(' ')
    else if (token.type === 'code_inline') here.push({ tag: 'code', children: [token.content] })
    else if (token.type === 'image')
      here.push({ tag: 'img', src: String(token.attrGet('src')), children: [token.content] })
    else if (token.nesting === -1) open.pop()
    // The parser hides the paragraphs of lists without empty lines.
    else if (token.hidden) open.push(here)
    else {
      const href = token.attrGet('href')
      const node = { tag: token.tag, ...(href !== null && { href: String(href) }), children: [] as HelpNode[] }
      here.push(node)
      if (token.nesting === 1) open.push(node.children)
    }
  }
  return root
}
