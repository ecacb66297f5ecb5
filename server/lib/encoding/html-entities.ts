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
