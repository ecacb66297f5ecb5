/** The maximum length of words that keep a final e. The final e distinguishes "hope" from "hop". */
const MAX_SHORT = 4

/**
 * Returns the same stem for the inflections of an English word: "run", "runs" and "running". The word is in lower case
 * with the letters a to z. Derived words such as "runner" have their own stem, and so do irregular forms such as "ran".
 * The stem need not be a word. The rules are step 1 of the Porter2 stemmer, with a simpler rule for a final e.
 */
export function stemOf(word: string): string {
  const stem = withoutEnding(singular(word))
  return stem.length > MAX_SHORT && stem.endsWith('e') ? stem.slice(0, -1) : stem
}

/**
 * Removes the plural ending of an English noun. Other words with such an ending lose it too, both in messages and in
 * searches.
 */
function singular(word: string): string {
  if (word.length < 4 || !word.endsWith('s') || /[sui]s$/.test(word)) return word
  if (word.endsWith('ies')) return word.length === 4 ? word.slice(0, -1) : `${word.slice(0, -3)}y`
  return /(?:ss|x|zz|sh|[nrt]ch)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1)
}

const VOWEL = /[aeiouy]/

/** Removes the endings of the past tense and the present participle. */
function withoutEnding(word: string): string {
  if (word.endsWith('ied')) return word.length === 4 ? word.slice(0, -1) : `${word.slice(0, -3)}y`
  if (word.endsWith('eed')) return word
  const length = word.endsWith('ing') ? 3 : word.endsWith('ed') ? 2 : 0
  const base = word.slice(0, word.length - length)
  if (length === 0 || base.length < 2 || !VOWEL.test(base)) return word
  if (base.length > 3 && /(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(base)) return base.slice(0, -1)
  // "using" and "hoping" come from "use" and "hope".
  return /^(?:[aeiou][^aeiouy]|[^aeiou]?[^aeiouy]?[aeiouy][^aeiouywx])$/.test(base) && base.length <= 3
    ? `${base}e`
    : base
}

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
