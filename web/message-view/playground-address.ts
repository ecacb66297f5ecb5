type Operator = { first: string; separator: string; isNamed?: true; keepsReserved?: true }

const PLAIN: Operator = { first: '', separator: ',' }

const OPERATORS: Readonly<Record<string, Operator>> = {
  '+': { ...PLAIN, keepsReserved: true },
  '#': { first: '#', separator: ',', keepsReserved: true },
  '.': { first: '.', separator: '.' },
  '/': { first: '/', separator: '/' },
  ';': { first: ';', separator: ';', isNamed: true },
  '?': { first: '?', separator: '&', isNamed: true },
  '&': { first: '&', separator: '&', isNamed: true },
}

/**
 * Returns the URL that runs the code in a playground, from its RFC 6570 URL template. The server has checked that the
 * template is valid, leads to a web URL, and has `code` as its only variable.
 */
export function toPlaygroundAddress(template: string, code: string): string {
  return template.replace(/\{([+#./;?&]?)([^{}]*)\}/g, (_, sign: string, specs: string) => {
    const operator = OPERATORS[sign] ?? PLAIN
    const values = specs.split(',').map((spec) => expand(operator, sign, spec, code))
    return operator.first + values.join(operator.separator)
  })
}

function expand({ isNamed, keepsReserved }: Operator, sign: string, spec: string, code: string): string {
  const [name, length] = spec.replace('*', '').split(':')
  const text = length === undefined ? code : Array.from(code).slice(0, Number(length)).join('')
  const value = encode(text.toWellFormed(), keepsReserved === true)
  if (isNamed === undefined) return value
  return value === '' && sign === ';' ? name! : `${name}=${value}`
}

/** Matches reserved characters and percent-encoded ones, or else any other character. */
const SIGNS = /(%[\da-f]{2}|[:/?#[\]@!$&'()*+,;=])|./gisu

function encode(text: string, keepsReserved: boolean): string {
  if (keepsReserved) return text.replace(SIGNS, (sign, kept?: string) => kept ?? encodeURIComponent(sign))
  return encodeURIComponent(text).replace(/[!'()*]/g, toPercent)
}

const toPercent = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`
