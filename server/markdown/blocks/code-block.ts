import { languageName } from '../code/languages.ts'
import { element, fromCodeBlock, joinMarkup, type Markup, newline, nothing } from '../markup.ts'
import type { Renderers } from '../scope.ts'

/**
 * Renders a code block without surrounding blank lines. Clients display the `code` element and ignore the empty span.
 */
export function codeBlockToHtml(source: string, language: string, renderers: Renderers | null): Markup {
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
