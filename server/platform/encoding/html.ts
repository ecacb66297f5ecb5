/** HTML that is safe to send: written by us, with every value in it escaped. */
export type Html = { readonly html: string }

/** What a blank of `html` takes: text is escaped, HTML stays, lists are joined, and nothing leaves nothing. */
export type HtmlValue = string | number | Html | null | undefined | false | readonly HtmlValue[]

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Text as it stands in HTML, inside an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}

/** A template of HTML whose values are escaped: `` html`<b>${name}</b>` ``. Attributes must stand in quotes. */
export function html(strings: TemplateStringsArray, ...values: HtmlValue[]): Html {
  return { html: strings.map((part, index) => (index === 0 ? '' : inHtml(values[index - 1])) + part).join('') }
}

function inHtml(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return ''
  if (typeof value === 'string') return escapeHtml(value)
  if (typeof value === 'number') return String(value)
  return 'html' in value ? value.html : value.map(inHtml).join('')
}
