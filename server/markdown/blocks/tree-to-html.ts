import type { RenderContext } from '../context.ts'
import { element, endTag, joinMarkup, type Markup, newline, nothing, startTag, type Tag } from '../markup.ts'
import { codeBlockToHtml } from './code-block.ts'
import { formulasToHtml } from './formulas.ts'
import { inlineWithLaterPreviews, itemTextToHtml, paragraphToHtml } from './paragraph-to-html.ts'
import { tableToHtml } from './table-to-html.ts'
import type { Block, Child, Container } from './tree.ts'

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
