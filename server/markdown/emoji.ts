import { EMOJI_TABLE } from './emoji-table.ts'
import { element, fromText, joinMarkup, type Markup, newline, nothing, startTag } from './markup.ts'
import type { RenderScope } from './scope.ts'

// Unicode emoji and plain text with emoji: their codes and names as the reference server knows them, emoticons, and
// symbols that are typed as they are. A sequence of symbols becomes one image or stays text; no part of it is
// replaced.

type Names = { byName: Map<string, string>; byCode: Map<string, string[]> }
let loaded: Names | undefined

/**
 * Finds an emoji by its canonical name or an alias. The code is dash-separated lower-case hex without variation
 * selectors.
 */
export function findUnicodeEmoji(name: string): { code: string } | null {
  const code = names().byName.get(name)
  return code === undefined ? null : { code }
}

/** Returns the names of the emoji, with the canonical name first; an empty list for an unknown code. */
export function unicodeEmojiNames(code: string): readonly string[] {
  return names().byCode.get(code) ?? []
}

/** Returns every known code with its names, as `server_emoji_data_url` serves them. */
export function allUnicodeEmoji(): ReadonlyMap<string, readonly string[]> {
  return names().byCode
}

function names(): Names {
  loaded ??= parseTable()
  return loaded
}

function parseTable(): Names {
  const byName = new Map<string, string>()
  const byCode = new Map<string, string[]>()
  for (const entry of EMOJI_TABLE.split(';')) {
    const [code, ...known] = entry.trim().split(' ') as [string, ...string[]]
    byCode.set(code, known)
    for (const name of known) byName.set(name, code)
  }
  return { byName, byCode }
}

/** Emoticons and the emoji that replace them. */
const EMOTICONS = new Map([
  [':)', 'smile'],
  ['(:', 'smile'],
  [':(', 'frown'],
  ['<3', 'heart'],
  [':|', 'neutral'],
  [':/', 'confused'],
  [';)', 'wink'],
  [':D', 'grinning'],
  [':o', 'open_mouth'],
  [':O', 'open_mouth'],
  [':p', 'stuck_out_tongue'],
  [':P', 'stuck_out_tongue'],
])

const faces = [...EMOTICONS.keys()].map((face) => face.replace(/[()|/]/g, '\\$&')).join('|')
const STANDING_APART = new RegExp(`(?<![^,.;?!()\\[\\]"'\\s])(?:${faces})(?![^,.;?!()\\[\\]"'\\s])`, 'g')

/** Replaces each emoticon that stands alone or between punctuation with the name of its emoji. */
function translateEmoticons(text: string): string {
  return text.replace(STANDING_APART, (face) => `:${EMOTICONS.get(face)}:`)
}

const NAMED = ':(?<name>[\\p{L}\\p{N}_+-]+):'
const PICTURE = '\\p{Extended_Pictographic}(?:\\p{Emoji_Modifier}|\\uFE0F)?'
/**
 * Matches whole sequences, known or not, so that no image replaces a part of a sequence. A sequence with a text-style
 * selector stays text.
 */
const SEQUENCE = `\\p{RI}\\p{RI}|[0-9#*]\\uFE0F?\\u20E3|${PICTURE}(?:\\u200D${PICTURE})*[\\u{E0020}-\\u{E007F}]*`
const SPECIAL = new RegExp(`\\n|${NAMED}|(?<picture>${SEQUENCE})(?!\\uFE0E)`, 'gu')

/** Single symbols before this code point, such as ©, become images only with an emoji-style selector (U+FE0F). */
const FIRST_PICTURE = 0x2190

/** Renders text with line breaks and emoji. Emoji are typed as names, characters or emoticons. */
export function plainTextToHtml(words: string, scope: RenderScope): Markup {
  const text = scope.translateEmoticons ? translateEmoticons(words) : words
  let html = nothing
  let done = 0
  SPECIAL.lastIndex = 0
  for (let match = SPECIAL.exec(text); match; match = SPECIAL.exec(text)) {
    const made = specialToHtml(match, scope)
    if (made === null) {
      // The closing colon of an unknown emoji may open the next one.
      if (match.groups?.name) SPECIAL.lastIndex--
      continue
    }
    html = joinMarkup(html, fromText(text.slice(done, match.index)), made)
    done = SPECIAL.lastIndex
  }
  return joinMarkup(html, fromText(text.slice(done)))
}

function specialToHtml(match: RegExpExecArray, scope: RenderScope): Markup | null {
  if (match[0] === '\n') return joinMarkup(startTag('br'), newline)
  const { name, picture } = match.groups ?? {}
  return name ? namedToHtml(name, scope) : pictureToHtml(picture ?? '')
}

function namedToHtml(name: string, scope: RenderScope): Markup | null {
  const custom = scope.findCustomEmoji(name)
  if (custom) {
    return startTag('img', { alt: `:${name}:`, class: 'emoji', src: custom.url, title: spaced(name) })
  }
  const known = findUnicodeEmoji(name)
  return known && unicodeToHtml(known.code, name)
}

function pictureToHtml(picture: string): Markup | null {
  const points = Array.from(picture, (character) => character.codePointAt(0) ?? 0)
  if (points.length === 1 && (points[0] ?? 0) < FIRST_PICTURE) return null
  const visible = points.filter((point) => point !== 0xfe0f)
  const code = visible.map((point) => point.toString(16).padStart(4, '0')).join('-')
  const name = unicodeEmojiNames(code)[0]
  return name === undefined ? null : unicodeToHtml(code, name)
}

function unicodeToHtml(code: string, name: string): Markup {
  const label = spaced(name)
  const attributes = { 'aria-label': label, class: `emoji emoji-${code}`, role: 'img', title: label }
  return element('span', attributes, fromText(`:${name}:`))
}

function spaced(name: string): string {
  return name.replaceAll('_', ' ')
}
