/** A URI template with all four levels of RFC 6570. The values of its variables are strings. */
export type UrlTemplate = { readonly parts: readonly (string | Expression)[]; readonly variables: ReadonlySet<string> }

type Variable = { name: string; prefixLength: number }
type Expression = { operator: Operator; variables: Variable[] }
type Operator = { first: string; separator: string; named: boolean; ifEmpty: string; keepsReserved: boolean }

const OPERATORS: Record<string, Operator> = {
  '': { first: '', separator: ',', named: false, ifEmpty: '', keepsReserved: false },
  '+': { first: '', separator: ',', named: false, ifEmpty: '', keepsReserved: true },
  '#': { first: '#', separator: ',', named: false, ifEmpty: '', keepsReserved: true },
  '.': { first: '.', separator: '.', named: false, ifEmpty: '', keepsReserved: false },
  '/': { first: '/', separator: '/', named: false, ifEmpty: '', keepsReserved: false },
  ';': { first: ';', separator: ';', named: true, ifEmpty: '', keepsReserved: false },
  '?': { first: '?', separator: '&', named: true, ifEmpty: '=', keepsReserved: false },
  '&': { first: '&', separator: '&', named: true, ifEmpty: '=', keepsReserved: false },
}

const VARIABLE = /^((?:\w|%[0-9a-f]{2})(?:\.?(?:\w|%[0-9a-f]{2}))*)(?::([1-9]\d{0,3})|\*)?$/i

const NOT_UNRESERVED = /[^\w\-.~]/gu
/** The characters to escape where reserved characters are kept. Existing percent escapes are kept, too. */
const NOT_RESERVED = /%(?![0-9a-f]{2})|[^%\w\-.~:/?#[\]@!$&'()*+,;=]/giu

/** Parses a template; returns `null` if its syntax is invalid. */
export function parseUrlTemplate(text: string): UrlTemplate | null {
  const parts: (string | Expression)[] = []
  const names = new Set<string>()
  for (const piece of text.split(/(\{[^{}]*\})/)) {
    if (!piece.startsWith('{') || !piece.endsWith('}')) {
      if (/[{}]/.test(piece)) return null
      parts.push(encode(piece, true))
      continue
    }
    const expression = parseExpression(piece.slice(1, -1))
    if (!expression) return null
    parts.push(expression)
    for (const variable of expression.variables) names.add(variable.name)
  }
  return { parts, variables: names }
}

/** Expands a template. A variable without a value expands to nothing. */
export function expandUrlTemplate(template: UrlTemplate, values: ReadonlyMap<string, string>): string {
  return template.parts.map((part) => (typeof part === 'string' ? part : expand(part, values))).join('')
}

function parseExpression(text: string): Expression | null {
  const sign = /^[+#./;?&]/.exec(text)?.[0] ?? ''
  const operator = OPERATORS[sign]
  const matches = text
    .slice(sign.length)
    .split(',')
    .map((spec) => VARIABLE.exec(spec))
  const variables: Variable[] = []
  for (const match of matches) {
    if (!match?.[1]) return null
    variables.push({ name: match[1], prefixLength: match[2] ? Number(match[2]) : Number.POSITIVE_INFINITY })
  }
  return operator ? { operator, variables } : null
}

function expand({ operator, variables }: Expression, values: ReadonlyMap<string, string>): string {
  const expanded: string[] = []
  for (const { name, prefixLength } of variables) {
    const value = values.get(name)
    if (value === undefined) continue
    const shown = prefixLength === Number.POSITIVE_INFINITY ? value : [...value].slice(0, prefixLength).join('')
    const encoded = encode(shown, operator.keepsReserved)
    if (!operator.named) expanded.push(encoded)
    else expanded.push(encoded === '' ? name + operator.ifEmpty : `${name}=${encoded}`)
  }
  return expanded.length === 0 ? '' : operator.first + expanded.join(operator.separator)
}

function encode(text: string, keepsReserved: boolean): string {
  return text.toWellFormed().replace(keepsReserved ? NOT_RESERVED : NOT_UNRESERVED, percentEncode)
}

function percentEncode(character: string): string {
  return [...new TextEncoder().encode(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('')
}
