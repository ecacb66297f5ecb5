import { languageName } from '../code/languages.ts'
import { element, fromListing, type Html, joinHtml, newline, nothing } from '../html.ts'

/** A block of code, without the blank lines around it. Clients show what `code` holds and ignore the empty span. */
export function listingToHtml(source: string, language: string): Html {
  const lines = joinHtml(fromListing(source.replace(/^\n+|\n+$/g, '')), newline)
  const pre = element('pre', {}, joinHtml(element('span', {}, nothing), element('code', {}, lines)))
  return element('div', listingAttributes(language), pre)
}

function listingAttributes(language: string): Record<string, string> {
  const shared = { class: 'codehilite' }
  return language === '' ? shared : { ...shared, 'data-code-language': languageName(language) }
}
