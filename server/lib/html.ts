// HTML for pages and emails. A value of type Html is safe to send: only this file makes one, from our own templates,
// and every other value in a template is escaped.

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

/** The named entities that are common in titles and descriptions of websites. Other named entities are not decoded. */
const NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', ensp: ' ', emsp: ' ', thinsp: ' ' },
    ...{ ndash: '–', mdash: '—', hellip: '…', middot: '·', bull: '•', prime: '′', shy: '' },
    ...{ lsquo: '‘', rsquo: '’', sbquo: '‚', ldquo: '“', rdquo: '”', bdquo: '„' },
    ...{ laquo: '«', raquo: '»', lsaquo: '‹', rsaquo: '›', larr: '←', rarr: '→' },
    ...{ copy: '©', reg: '®', trade: '™', euro: '€', pound: '£', yen: '¥', cent: '¢', sect: '§', para: '¶' },
    ...{ deg: '°', plusmn: '±', times: '×', divide: '÷', frac12: '½', micro: 'µ', iexcl: '¡', iquest: '¿' },
    ...{ auml: 'ä', ouml: 'ö', uuml: 'ü', Auml: 'Ä', Ouml: 'Ö', Uuml: 'Ü', szlig: 'ß', aring: 'å', Aring: 'Å' },
    ...{ aacute: 'á', eacute: 'é', iacute: 'í', oacute: 'ó', uacute: 'ú', ntilde: 'ñ', Eacute: 'É' },
    ...{ agrave: 'à', egrave: 'è', igrave: 'ì', ograve: 'ò', ugrave: 'ù', ccedil: 'ç', Ccedil: 'Ç', Agrave: 'À' },
    ...{ acirc: 'â', ecirc: 'ê', icirc: 'î', ocirc: 'ô', ucirc: 'û', euml: 'ë', iuml: 'ï', oelig: 'œ' },
    ...{ aelig: 'æ', oslash: 'ø', AElig: 'Æ', Oslash: 'Ø' },
  }),
)

/** Replaces the HTML entities in text with their characters. */
export function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+[0-9]{0,2}));/gi,
    (entity, decimal, hexadecimal, name) => {
      if (name !== undefined) return NAMES.get(name) ?? entity
      const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal)
      return code <= 0x10ffff ? String.fromCodePoint(code) : entity
    },
  )
}
