import { trustedReference } from '../trusted.ts'

const COMMON: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': '\u00a0',
}

const REFERENCE = /&(?:#\d+|#x[\da-f]+|[a-z][\da-z]*);/gi

/** The text that character references of HTML stand for; what names none stays as it is. */
export function decodeEntities(text: string): string {
  return text.includes('&') ? text.replace(REFERENCE, (one) => COMMON[one] ?? lookUp(one)) : text
}

/** There are some 2,200 names; the browser knows them. */
function lookUp(reference: string): string {
  return new DOMParser().parseFromString(trustedReference(reference), 'text/html').body.textContent || reference
}
