import { type Matcher, RE2JS, RE2JSSyntaxException } from 're2js'
import { findBareUrls, safeUrl } from './inline/urls.ts'

// Linkifiers: patterns of an organization that become links, in messages and in topics. The expression engine takes
// linear time for any pattern, a match is a whole word, and the result is always an address that is safe to open.

/** Turns the matches of a pattern into links. The regular expression engine takes linear time for any pattern. */
export type Linkifier = {
  readonly source: LinkifierSource
  readonly pattern: RE2JS
  readonly names: readonly string[]
  readonly template: UrlTemplate
}

export type LinkifierSource = { readonly pattern: string; readonly urlTemplate: string }

/** A part of text, from `start` to before `end` in UTF-16 units, and the address that it links to. */
export type FoundLink = { readonly start: number; readonly end: number; readonly text: string; readonly url: string }

export type TopicLink = { readonly url: string; readonly text: string }

/** A URI template with all four levels of RFC 6570. The values of its variables are strings. */
type UrlTemplate = { readonly parts: readonly (string | Expression)[]; readonly variables: ReadonlySet<string> }

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

/** The name of the group around the whole pattern. `checkLinkifier` rejects patterns with a group of this name. */
const OUTER = '__linked'

/** The maximum number of matches per text and linkifier, because a pattern may look far ahead from each match. */
const MAX_MATCHES = 1000

/**
 * The engine's error messages, with the wording that clients of this API know. Other messages are passed on as they
 * are.
 */
const REASONS: Record<string, string> = {
  'invalid or unsupported Perl syntax': 'invalid perl operator',
  'invalid nested repetition operator': 'bad repetition operator',
  'invalid repeat count': 'invalid repetition size',
  'missing closing ]': 'missing ]',
  'missing closing )': 'missing )',
  'missing argument to repetition operator': 'no argument for repetition operator',
  'trailing backslash at end of expression': 'trailing \\',
  'invalid named capture': 'invalid named capture group',
  'duplicate capture group name': 'invalid named capture group',
}

/** Compiles a linkifier that `checkLinkifier` has accepted. Throws if its pattern or template is invalid. */
export function compileLinkifier({ pattern, urlTemplate }: LinkifierSource): Linkifier {
  const template = parseUrlTemplate(urlTemplate)
  if (!template) throw new Error(`invalid URL template: ${urlTemplate}`)
  const names = Object.keys(RE2JS.compile(pattern).namedGroups())
  return { source: { pattern, urlTemplate }, pattern: RE2JS.compile(standingApart(pattern)), names, template }
}

/** Returns the reason why a linkifier is invalid, in the wording of the API; `null` if it is valid. */
export function checkLinkifier(pattern: string, urlTemplate: string): string | null {
  const groups = groupsOf(pattern)
  if (typeof groups === 'string') return `Bad regular expression: ${groups}`
  const template = parseUrlTemplate(urlTemplate)
  // The scheme must be safe before the variables are filled in; findLinks checks it again.
  if (!template || safeUrl(urlTemplate.replace(/\{[^}]*\}/g, 'x')) === null) return 'Invalid URL template.'

  const notInPattern = [...template.variables.difference(groups)].sort()[0]
  if (notInPattern !== undefined) return `Group '${notInPattern}' in URL template is not present in linkifier pattern.`
  const notInTemplate = [...groups.difference(template.variables)].sort()[0]
  if (notInTemplate !== undefined)
    return `Group '${notInTemplate}' in linkifier pattern is not present in URL template.`
  return null
}

/**
 * Returns the matches in the order of the text. Matches that are part of a longer word or would link to an unsafe
 * address are left out.
 */
export function findLinks(linkifier: Linkifier, text: string): FoundLink[] {
  const found: FoundLink[] = []
  const matcher = linkifier.pattern.matcher(text)
  let from = 0
  for (let tries = 0; tries < MAX_MATCHES && from <= text.length && matcher.find(from); tries++) {
    const start = matcher.start(OUTER)
    const end = matcher.end(OUTER)
    const url = start < end ? safeUrl(expandUrlTemplate(linkifier.template, valuesOf(linkifier, matcher))) : null
    if (url !== null) found.push({ start, end, text: text.slice(start, end), url })
    // The separator after a match may precede the next one.
    from = Math.max(end, from + 1)
  }
  return found
}

/**
 * Returns a pattern for matches that stand apart: after the beginning, whitespace or opening punctuation, and not
 * before a letter or digit.
 */
function standingApart(pattern: string): string {
  return `(?:^|[\\s\\pZ'"(,:<])(?P<${OUTER}>${pattern})(?:$|[^\\pL\\pN])`
}

function valuesOf(linkifier: Linkifier, matcher: Matcher): Map<string, string> {
  const values = new Map<string, string>()
  for (const name of linkifier.names) {
    const value = matcher.group(name)
    if (value !== null) values.set(name, value)
  }
  return values
}

/** Returns the names of the pattern's groups, or the reason why the pattern is invalid. */
function groupsOf(pattern: string): Set<string> | string {
  try {
    const groups = new Set(Object.keys(RE2JS.compile(pattern).namedGroups()))
    return groups.has(OUTER) ? `invalid named capture group: ${OUTER}` : groups
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error
    const reason = REASONS[error.error] ?? error.error
    return error.input === null ? reason : `${reason}: ${error.input}`
  }
}

/**
 * Removes overlapping links and sorts the rest by position. Of two overlapping links, the one earlier in the list is
 * kept.
 */
export function withoutOverlaps(links: readonly FoundLink[]): FoundLink[] {
  const kept: FoundLink[] = []
  const taken = new Set<number>()
  for (const link of links) {
    const positions = Array.from({ length: link.end - link.start }, (_, offset) => link.start + offset)
    if (positions.some((position) => taken.has(position))) continue
    for (const position of positions) taken.add(position)
    kept.push(link)
  }
  return kept.sort((one, other) => one.start - other.start)
}

/**
 * Returns the links of a topic in order of position. If links overlap, a linkifier with higher priority wins, and
 * linkifiers win over plain addresses.
 */
export function topicLinks(topic: string, linkifiers: readonly Linkifier[]): TopicLink[] {
  const linkified = linkifiers.flatMap((linkifier) => findLinks(linkifier, topic))
  return withoutOverlaps([...linkified, ...bareLinks(topic)]).map(({ url, text }) => ({ url, text }))
}

function bareLinks(topic: string): FoundLink[] {
  const prefixes = { url: '', domain: 'https://', email: 'mailto:' }
  return findBareUrls(topic).map(({ start, end, kind }) => {
    const text = topic.slice(start, end)
    return { start, end, text, url: prefixes[kind] + text }
  })
}
