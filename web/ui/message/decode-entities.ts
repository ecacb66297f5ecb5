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

type TrustedTypes = {
  createPolicy(name: string, rules: { createHTML(text: string): string }): { createHTML(text: string): unknown }
}

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }

/** The only door to the browser's parser, and nothing but one character reference passes. */
const policy = trustedTypes?.createPolicy('parley', {
  createHTML(text) {
    if (/^&#?\w+;$/.test(text)) return text
    throw new TypeError('Not a character reference')
  },
})

/** There are some 2,200 names; the browser knows them. */
function lookUp(reference: string): string {
  const html = policy?.createHTML(reference) ?? reference
  return new DOMParser().parseFromString(html as string, 'text/html').body.textContent || reference
}
