import type { RenderContext } from '../context.ts'
import {
  element,
  endTag,
  fromCodeBlock,
  joinMarkup,
  type Markup,
  newline,
  nothing,
  startTag,
  type Tag,
} from '../markup.ts'
import { languageName } from '../renderers/languages.ts'
import type { Renderers } from '../scope.ts'
import { inlineWithLaterPreviews, itemTextToHtml, paragraphToHtml } from './paragraph-to-html.ts'
import type { Alignment } from './table-rows.ts'
import type { Block, Child, Container, Table } from './tree.ts'

/**
 * Renders a code block without surrounding blank lines. Clients display the `code` element and ignore the empty span.
 */
function codeBlockToHtml(source: string, language: string, renderers: Renderers | null): Markup {
  const trimmed = withoutBlankEnds(source)
  const lines = joinMarkup(renderers?.highlight(trimmed, language) ?? fromCodeBlock(trimmed), newline)
  const pre = element('pre', {}, joinMarkup(element('span', {}, nothing), element('code', {}, lines)))
  return element('div', listingAttributes(language), pre)
}

function listingAttributes(language: string): Record<string, string> {
  const shared = { class: 'codehilite' }
  return language === '' ? shared : { ...shared, 'data-code-language': languageName(language) }
}

/** Removes the line breaks at both ends. A regular expression for the end would be tried at every line break. */
function withoutBlankEnds(source: string): string {
  let end = source.length
  while (source[end - 1] === '\n') end--
  return source.slice(0, end).replace(/^\n+/, '')
}

const BETWEEN = '\n\n' as Markup

/** Renders a block of formulas. Blank lines separate the formulas. */
function formulasToHtml(source: string, { formulaToHtml }: Renderers): Markup {
  const formulas = source.split('\n\n').map((formula) => formulaToHtml(formula, true) ?? brokenFormula(formula))
  return element('p', {}, joinMarkup(...formulas.flatMap((html, at) => [at === 0 ? nothing : BETWEEN, html])))
}

/** Renders an invalid formula as its source. */
function brokenFormula(source: string): Markup {
  return element('span', { class: 'tex-error' }, fromCodeBlock(source).replaceAll('&#39;', '&#x27;') as Markup)
}

/**
 * Renders each row with as many cells as the header, however many were typed. Clients expect at least one row, even if
 * its cells are empty.
 */
function tableToHtml({ rows: [header = [], ...rows], alignments }: Table, context: RenderContext): Markup {
  const head = rowToHtml('th', header, alignments, context)
  const body =
    rows.length === 0
      ? [
          rowToHtml(
            'td',
            [],
            alignments.map(() => null),
            context,
          ),
        ]
      : rows.map((row) => rowToHtml('td', row, alignments, context))
  return lines('table', [lines('thead', [head]), lines('tbody', body)])
}

function rowToHtml(
  tag: 'th' | 'td',
  cells: readonly string[],
  alignments: readonly Alignment[],
  context: RenderContext,
): Markup {
  const written = alignments.map((alignment, index) => {
    const attributes = alignment === null ? {} : { style: `text-align: ${alignment};` }
    return element(tag, attributes, inlineWithLaterPreviews(cells[index] ?? '', context))
  })
  return lines('tr', written)
}

/** Writes each part on its own line. */
function lines(tag: Tag, parts: readonly Markup[]): Markup {
  return element(tag, {}, joinMarkup(newline, ...parts.flatMap((part) => [part, newline])))
}

const CONTAINER_TAGS = { quote: 'blockquote', unordered: 'ul', ordered: 'ol', item: 'li' } as const

/** Every block ends with a line break, because clients rely on line ends. */
export function childrenToHtml(children: readonly Child[], context: RenderContext): Markup {
  let html = nothing
  for (const [index, child] of children.entries()) {
    const end = typeof children[index + 1] === 'string' ? nothing : newline
    if (typeof child === 'string') html = joinMarkup(html, itemTextToHtml(child, context))
    else if (child.kind === 'paragraph') html = joinMarkup(html, paragraphToHtml(child.text, end, context))
    else html = joinMarkup(html, blockToHtml(child, context), end)
  }
  return html
}

function blockToHtml(block: Exclude<Block, { kind: 'paragraph' }>, context: RenderContext): Markup {
  const { writers: renderers } = context.scope
  switch (block.kind) {
    case 'heading':
      return element(`h${block.level}` as Tag, {}, inlineWithLaterPreviews(block.text, context))
    case 'rule':
      return startTag('hr')
    case 'indented code':
      return codeBlockToHtml(block.text, '', renderers)
    case 'listing':
      return codeBlockToHtml(block.source, block.language, renderers)
    case 'formulas':
      return renderers === null ? codeBlockToHtml(block.source, 'tex', null) : formulasToHtml(block.source, renderers)
    case 'table':
      return tableToHtml(block, context)
    case 'spoiler header':
      return joinMarkup(startTag('div', { class: 'spoiler-block' }), startTag('div', { class: 'spoiler-header' }))
    case 'spoiler content':
      context.spoilers++
      return joinMarkup(endTag('div'), startTag('div', { class: 'spoiler-content', 'aria-hidden': 'true' }))
    case 'spoiler end':
      context.spoilers--
      return joinMarkup(endTag('div'), endTag('div'))
    case 'root':
      return childrenToHtml(block.children, context)
    default:
      return containerToHtml(block, context)
  }
}

function containerToHtml(container: Container, context: RenderContext): Markup {
  const { kind, start, children } = container
  if (kind === 'quote') context.quotes++
  const html = childrenToHtml(children, context)
  if (kind === 'quote') context.quotes--
  const beginsLine = children.length > 0 && typeof children[0] !== 'string'
  const tag = CONTAINER_TAGS[kind as keyof typeof CONTAINER_TAGS]
  return element(tag, start === undefined ? {} : { start }, beginsLine ? joinMarkup(newline, html) : html)
}
