/** HTML that is safe to send. It consists of our own markup, and every value in it is escaped. */
export type Html = { readonly html: string }

/**
 * A value in an `html` template. Text is escaped, HTML is kept, and lists are joined. Null, undefined and false add
 * nothing.
 */
type HtmlValue = string | number | Html | null | undefined | false | readonly HtmlValue[]

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes text for an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}

/**
 * Builds HTML from a template, with its values escaped: `` html`<b>${name}</b>` ``. Attribute values must be quoted.
 */
export function html(strings: TemplateStringsArray, ...values: HtmlValue[]): Html {
  return { html: strings.map((part, index) => (index === 0 ? '' : inHtml(values[index - 1])) + part).join('') }
}

function inHtml(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return ''
  if (typeof value === 'string') return escapeHtml(value)
  if (typeof value === 'number') return String(value)
  return 'html' in value ? value.html : value.map(inHtml).join('')
}
