import { closingFences } from '#markdown/render.ts'

// Markdown of messages that integrations send. A value of type Markdown is made only here: our own words come from
// `md` templates, and every text of a payload is escaped where it is inserted. So no payload mentions anyone, links to
// anything, or formats a message by accident. Texts are cut to a length that fits into a message. The dialect knows no
// escapes by backslash; HTML entities are shown as their characters by all clients.

/** Markdown that is safe to send. */
export type Markdown = { readonly markdown: string }

/** A value in an `md` template. Text is escaped, lists are joined, and null, undefined and false add nothing. */
export type MarkdownValue = string | number | Markdown | null | undefined | false | readonly MarkdownValue[]

/** The maximum length of a text of a payload within a line, and of a quote or a block of code, in UTF-16 units. */
const MAX_INLINE = 1000
const MAX_BLOCK = 8000

const raw = (markdown: string): Markdown => ({ markdown })

/** Returns the text, cut to a length without splitting a character. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

const entity = (character: string) => `&#${character.codePointAt(0)};`

/** Characters that no message can contain or that end a line. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]+/gu

/** Returns the text on one line, without control characters. */
export function oneLine(text: string): string {
  return cut(text, MAX_INLINE).toWellFormed().replace(UNPRINTABLE, ' ').trim()
}

/** Escapes everything that means something within a line. */
export function escapeMarks(text: string): string {
  return text
    .replace(/&(?=#?\w{1,40};)/g, '&amp;')
    .replace(/[*`]/g, entity)
    .replace(/~(?=~)|\$(?=\$)|<(?=time:)|\](?=\()/g, entity)
    .replace(/(?<!\d(?=:\d\d:\d)):(?=[\p{L}\p{N}_+-]{1,60}:)/gu, entity)
}

const escapeInline = (text: string) => escapeMarks(oneLine(text))

/** Beginnings of lines that make a heading, a quote, a list, a rule, a table or a command. */
const BLOCK_START = /^(?:#(?=#{0,5}(?:\s|$))|>|[-+](?=\s|$)|\d(?=\d{0,8}[.)](?:\s|$))|\/(?=\w)|[-_](?=[-_ ]{2})|\|)/

const escapeStart = (text: string) => text.replace(BLOCK_START, entity)

/** Matches what may stand before the text of a line: nothing, or the signs of a list or quote. */
const AT_START = /(?:^|\n)(?:[*>] )?$/

/** Builds Markdown from a template. Every string in it is escaped: `` md`${user} opened ${link(title, url)}.` `` */
export function md(strings: TemplateStringsArray, ...values: MarkdownValue[]): Markdown {
  return raw(strings.reduce((done, part, index) => done + inMarkdown(values[index - 1], done) + part))
}

function inMarkdown(value: MarkdownValue, before: string): string {
  if (value === null || value === undefined || value === false) return ''
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string')
    return AT_START.test(before.slice(-3)) ? escapeStart(escapeInline(value)) : escapeInline(value)
  if ('markdown' in value) return value.markdown
  // What a table of words returns for `constructor` or `__proto__` is none of these values.
  if (!('reduce' in value)) return ''
  // Only the last characters are passed on: joining them all for each item would take quadratic time.
  let tail = before.slice(-3)
  return value.reduce<string>((done, one) => {
    const part = inMarkdown(one, tail)
    tail = (tail + part).slice(-3)
    return done + part
  }, '')
}

/** Returns text that never begins a line. */
export const inline = (text: string | null | undefined): Markdown => raw(escapeInline(text ?? ''))

/** Returns any value of a payload as text. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? cut(JSON.stringify(value), MAX_INLINE) : String(value)
}

/** Returns the value as Markdown. */
const toMarkdown = (value: MarkdownValue): Markdown => raw(inMarkdown(value, ''))

const isEmpty = (value: MarkdownValue) => inMarkdown(value, '') === ''

/** Joins the values that are not empty. */
export function join(values: readonly MarkdownValue[], separator: string): Markdown {
  return values
    .filter((value) => !isEmpty(value))
    .reduce<Markdown>(
      (done, value, index) =>
        raw(
          `${done.markdown}${index === 0 ? '' : separator}${inMarkdown(value, index === 0 || separator.endsWith('\n') ? '' : ' ')}`,
        ),
      raw(''),
    )
}

/** Returns the values that are not empty, one on each line. */
export const lines = (...values: readonly MarkdownValue[]): Markdown => join(values, '\n')

/** Returns the values that are not empty, with an empty line between them. */
export const paragraphs = (...values: readonly MarkdownValue[]): Markdown => join(values, '\n\n')

/** Returns `a`, `a and b`, or `a, b and c`. */
export function enumerate(values: readonly MarkdownValue[]): Markdown {
  const last = values.at(-1)
  if (values.length < 2) return toMarkdown(last)
  return md`${join(values.slice(0, -1), ', ')} and ${last}`
}

/** Returns a list with an item for each value that is not empty. */
export const bullets = (values: readonly MarkdownValue[]): Markdown =>
  lines(...values.filter((value) => !isEmpty(value)).map((value) => md`* ${value}`))

/** The maximum nesting of brackets in the text or address of a link. */
const MAX_BRACKETS = 5

/** Returns whether each bracket has its counterpart, and they are not nested deeply. */
function isBalanced(text: string, opening: string, closing: string): boolean {
  let depth = 0
  for (const character of text) {
    if (character === opening && ++depth > MAX_BRACKETS) return false
    if (character === closing && --depth < 0) return false
  }
  return depth === 0
}

/** Escapes the text of a link, whose brackets must be balanced. */
function escapeLabel(text: string): string {
  const escaped = escapeInline(text)
  return isBalanced(escaped, '[', ']') ? escaped : escaped.replace(/[[\]]/g, entity)
}

/** The maximum length of an address; longer ones are not linked. */
const MAX_ADDRESS = 2000

/** Returns the address in the form that a link takes; null unless it is one of the web or of mail. */
function linkAddress(url: string | null | undefined): string | null {
  const address = url?.trim() ?? ''
  if (address.length > MAX_ADDRESS || !/^(?:https?:\/\/[^/\s]|mailto:\S)/i.test(address)) return null
  const encoded = address
    .toWellFormed()
    .replace(/[\s<>"'`\\\p{Cc}\p{Zl}\p{Zp}]/gu, encodeURIComponent)
    .replace(/'/g, '%27')
  return isBalanced(encoded, '(', ')') ? encoded : encoded.replaceAll('(', '%28').replaceAll(')', '%29')
}

/** Returns a link. Without a usable address, it is only the text; without a text, it is the address. */
export function link(label: string | number | Markdown | null | undefined, url: string | null | undefined): Markdown {
  const address = linkAddress(url)
  const given =
    label === null || label === undefined ? '' : typeof label === 'object' ? label.markdown : escapeLabel(String(label))
  if (address === null) return raw(typeof label === 'object' ? given : escapeStart(given))
  return given === '' ? raw(address) : raw(`[${given}](${address})`)
}

/** Returns the address as its own link; nothing if it is not usable. */
export const bareLink = (url: string | null | undefined): Markdown => raw(linkAddress(url) ?? '')

/** Returns bold text; nothing for an empty one. */
export function bold(value: string | number | Markdown | null | undefined): Markdown {
  const text = inMarkdown(value, ' ')
  return raw(text === '' ? '' : `**${text}**`)
}

/** Returns text in the font of code, unchanged; nothing for an empty one. */
export function code(value: string | number | null | undefined): Markdown {
  const text = oneLine(String(value ?? ''))
  if (text === '') return raw('')
  const fence = '`'.repeat(longestRun(text, /`+/g) + 1)
  const space = /^`|`$/.test(text) ? ' ' : ''
  return raw(fence + space + text + space + fence)
}

const longestRun = (text: string, pattern: RegExp) =>
  Math.max(0, ...Array.from(text.matchAll(pattern), ([run]) => run.length))

/** Returns the text of a block: bounded, without control characters, and with line breaks of one kind. */
export const blockText = (text: string): string =>
  cut(text, MAX_BLOCK)
    .toWellFormed()
    .replace(/\r\n?|[\p{Zl}\p{Zp}]/gu, '\n')
    .replace(/(?![\n\t])[\p{Cc}\p{Noncharacter_Code_Point}]/gu, '')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd()

function fenced(language: string, text: string): Markdown {
  if (text === '') return raw('')
  const fence = '`'.repeat(Math.max(3, longestRun(text, /`+/g) + 1, longestRun(text, /~+/g) + 1))
  return raw(`${fence}${language === '' ? '' : ` ${language}`}\n${text}\n${fence}`)
}

/** Returns text as a block of code, unchanged; nothing for an empty one. */
export const codeBlock = (text: string | null | undefined, language = ''): Markdown =>
  fenced(language.replace(/[^\w+-]/g, ''), blockText(text ?? ''))

/** Returns lines of plain text, escaped. */
export const plainText = (text: string | null | undefined): Markdown =>
  raw(
    blockText(text ?? '')
      .split('\n')
      .map((line) => escapeStart(escapeMarks(line.trimStart())))
      .join('\n'),
  )

/** Returns Markdown as the text of a quote; nothing for an empty one. */
export const quoteOf = (content: Markdown): Markdown => fenced('quote', content.markdown)

/** Returns a quote of plain text; nothing for an empty one. */
export const quote = (text: string | null | undefined): Markdown => quoteOf(plainText(text))

/**
 * Returns text that its service shows as Markdown. It keeps its lists, code and emphasis, but mentions nobody, and the
 * address of each link is visible.
 */
export function foreignMarkdown(text: string | null | undefined): Markdown {
  let result = blockText(text ?? '')
    .replace(/<!--(?:(?!<!--)[\s\S]){0,4000}?-->/g, '')
    .trim()
  // Twice, because a link may contain a picture.
  for (let round = 0; round < 2; round += 1)
    result = result.replace(
      /!?\[([^[\]\n]{0,300})\]\(([^()\s]{0,2000})(?:[^\S\n][^()\n]{0,300})?\)/g,
      (_, label: string, url: string) => (label === '' || label === url ? url : `${label} (${url})`),
    )
  result = result
    .replace(/[@#](?=_?\*)|\](?=\()|<(?=time:)|\$(?=\$)/g, entity)
    .replace(/^(\s*)\/(?=\w)/g, '$1&#47;')
    .replace(/^(`{3,}|~{3,})( *)(?:spoiler|math|quoted?)\b.*$/gim, '$1')
  return raw(result + closingFences(result))
}

/** Returns a quote of text that its service shows as Markdown; nothing for an empty one. */
export const quoteMarkdown = (text: string | null | undefined): Markdown => quoteOf(foreignMarkdown(text))

/** Returns a time that each reader sees in their own time zone; the text itself if it is not a time. */
export function time(value: string | number | null | undefined): Markdown {
  if (value === null || value === undefined || value === '') return raw('')
  const date = new Date(typeof value === 'number' ? (value > 1e11 ? value : value * 1000) : value)
  if (Number.isNaN(date.getTime())) return toMarkdown(String(value))
  return raw(`<time:${date.toISOString().replace(/\.\d+Z$/, 'Z')}>`)
}

/** Returns a line of a list of facts: `**Label**: value`; nothing without a value. */
export const fact = (label: string, value: MarkdownValue): Markdown =>
  isEmpty(value) ? raw('') : md`${bold(label)}: ${value}`

/** Returns the text with a full stop, unless it ends with punctuation. */
export const sentence = (value: MarkdownValue): Markdown => {
  const text = inMarkdown(value, '')
  return raw(/[.!?:]$/.test(text) ? text : `${text}.`)
}

/** Returns the number with its noun: `1 commit`, `2 commits`. */
export const count = (number: number, singular: string, plural = `${singular}s`): string =>
  `${number} ${number === 1 ? singular : plural}`

/** Private characters that stand for finished Markdown. They are removed from every text. */
const HELD = /\uE000(\d+)\uE001/g

type Conversion = {
  /** Matches what becomes links, code and the like. */
  token: RegExp
  /** Converts a match and its groups; undefined keeps it as text. */
  convert(match: string, ...groups: (string | undefined)[]): Markdown | undefined
  /** Emphasis: a pattern with the groups of what precedes it and of its text, and the sign for it in Markdown. */
  marks?: readonly (readonly [RegExp, string])[]
  /** Decodes the text around the tokens. */
  decode?: (text: string) => string
}

/** Converts the markup of another service. Everything that is not a token or emphasis is escaped. */
export function convertMarkup(
  text: string,
  { token, convert, marks = [], decode = (same) => same }: Conversion,
): Markdown {
  const finished: string[] = []
  const hold = (markdown: string) => `\uE000${finished.push(markdown) - 1}\uE001`
  let held = blockText(text)
    .replace(/[\uE000\uE001]/g, '')
    .replace(token, (match: string, ...groups: (string | undefined)[]) => {
      const converted = convert(match, ...groups)
      return converted === undefined ? match : hold(converted.markdown.replace(/[@#](?=_?$)/, entity))
    })
  held = decode(held)
  for (const [pattern, sign] of marks)
    held = held.replace(
      pattern,
      (_, before: string, content: string) => `${before}${hold(sign)}${content}${hold(sign)}`,
    )
  const escaped = held
    .replace(/\n{3,}/g, '\n\n')
    .split('\n')
    .map((line) => escapeStart(escapeMarks(line.trim())))
  return raw(
    escaped
      .join('\n')
      // Before emphasis, these characters would mention users or name channels, and a bracket would make a link.
      .replace(/[@#](?=_?\uE000)|\](?=\uE000)/g, entity)
      .replace(HELD, (_, at: string) => finished[Number(at)] ?? ''),
  )
}

/** Returns a pattern for emphasis by a character around a text, as Slack and Jira have it. */
export const emphasis = (sign: string): RegExp =>
  new RegExp(
    String.raw`(^|[\s\p{P}\p{S}\uE001])(?<![${sign}])[${sign}](?=[^\s${sign}])([^${sign}\n]{1,500})(?<=\S)[${sign}](?![${sign}])(?=$|[\s\p{P}\p{S}\uE000])`,
    'gmu',
  )

/** Decodes the entities that services use to escape text. */
export const decodeEntities = (text: string): string =>
  text.replace(/&(lt|gt|quot|#39|apos|nbsp|amp);/g, (entity, name: string) => ENTITIES[name] ?? entity)

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  apos: "'",
  nbsp: ' ',
  amp: '&',
}

/** Returns the address in the attributes of a link or picture; '' if it is none of the web. */
const addressIn = (attributes: string) => /\s(?:href|src)\s*=\s*["']?(https?:\/\/[^\s"']+)/i.exec(attributes)?.[1] ?? ''

/** Returns the text of HTML, with the addresses of links and pictures, and its paragraphs and items on their own lines. */
export function htmlToText(html: string | null | undefined): string {
  let address = ''
  const text = cut(html ?? '', 2 * MAX_BLOCK).replace(
    /<(\/?[a-z][a-z0-9]{0,20}(?![\w-]))([^<>]{0,2000})>|<[^<>]{0,2000}>/gi,
    (_, tag: string | undefined, attributes = '') => {
      switch (tag?.toLowerCase()) {
        case 'br':
        case '/p':
        case '/div':
        case '/li':
        case '/h1':
        case '/h2':
        case '/h3':
        case '/h4':
        case '/h5':
        case '/h6':
          return '\n'
        case 'li':
          return '• '
        case 'img':
          return ` ${addressIn(attributes)}`.trimEnd()
        case 'a':
          address = addressIn(attributes)
          return ''
        case '/a': {
          const shown = address
          address = ''
          return shown && ` (${shown})`
        }
        default:
          return ''
      }
    },
  )
  return decodeEntities(text)
    .replace(/(https?:\/\/\S{1,2000}) \(\1\)/g, '$1')
    .replace(/(?<![ \t])[ \t]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** Returns a heading; nothing for an empty one. */
export const heading = (value: MarkdownValue): Markdown => raw(isEmpty(value) ? '' : `## ${inMarkdown(value, ' ')}`)
