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

/** Decodes HTML character references. Unknown references stay as they are. */
export function decodeEntities(text: string): string {
  return text.includes('&') ? text.replace(REFERENCE, (one) => COMMON[one] ?? lookUp(one)) : text
}

/** Decodes a named reference with the browser, which knows all of the about 2,200 names. */
function lookUp(reference: string): string {
  return new DOMParser().parseFromString(trustedReference(reference), 'text/html').body.textContent || reference
}
