import { stemOf } from './stem.ts'

/** A word in normalized form, and its position in the text. */
export type SearchToken = { key: string; start: number; end: number }

/** Matches a token: a word, or a single character in scripts without spaces between words. */
const WORD =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[[\p{L}\p{N}\p{M}]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]]+/gv

/** The maximum length of a key, in UTF-16 units. PostgreSQL accepts no word longer than 2 KiB. */
const MAX_KEY_LENGTH = 100

/**
 * The maximum length of a word that is normalized, in UTF-16 units including combining marks. The time of normalization
 * grows with the square of the number of marks.
 */
const MAX_NORMALIZED = 1000

export function tokenizeText(text: string): SearchToken[] {
  return addTokens(text, 0, [])
}

/** Tags, comments and entities. All of them separate words. */
const MARKUP = /<math[\s>](?:(?!<math[\s>]).)*?<\/math>|<(?:"[^"]*"|'[^']*'|[^'"<>])*>|&#?\w{1,32};/gs

/** Returns the tokens of the visible text with their positions in the HTML. No token contains a tag. */
export function tokenizeHtml(html: string): SearchToken[] {
  const tokens: SearchToken[] = []
  let start = 0
  for (const { 0: markup, index } of html.matchAll(MARKUP)) {
    addTokens(html.slice(start, index), start, tokens)
    start = index + markup.length
  }
  return addTokens(html.slice(start), start, tokens)
}

function addTokens(text: string, offset: number, tokens: SearchToken[]): SearchToken[] {
  // `matchAll` would copy the regular expression on each call.
  for (let found = WORD.exec(text); found !== null; found = WORD.exec(text)) {
    const { 0: word, index } = found
    const key = keyOf(word)
    if (key !== '') tokens.push({ key, start: offset + index, end: offset + index + word.length })
  }
  return tokens
}

/** Returns the same key for words that differ only in case, accents or an English inflection. */
export function keyOf(word: string): string {
  const folded = /^[a-z]+$/i.test(word) ? word.slice(0, MAX_KEY_LENGTH).toLowerCase() : foldWord(word)
  return /^[a-z]+$/.test(folded) ? stemOf(folded) : folded
}

/** Returns a word without case, accents and punctuation. */
export function foldWord(word: string): string {
  const folded = word
    .slice(0, MAX_NORMALIZED)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
  return folded.slice(0, MAX_KEY_LENGTH)
}
