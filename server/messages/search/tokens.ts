/** A word as it is compared, and where it stands in its text. */
export type SearchToken = { key: string; start: number; end: number }

/** Of scripts that leave no spaces between words, each character is one. */
const WORD =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[[\p{L}\p{N}\p{M}]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]]+/gv

/** In code units; PostgreSQL takes no word of more than 2 KiB. */
const MAX_KEY_LENGTH = 100

/** In code units, marks included: taking them apart takes the square of their number. */
const MAX_NORMALIZED = 1000

/** The words of a text, in their order. */
export function tokenizeText(text: string): SearchToken[] {
  return addTokens(text, 0, [])
}

/** Tags, comments and entities: they part words, as what they stand for does. */
const MARKUP = /<math[\s>](?:(?!<math[\s>]).)*?<\/math>|<(?:"[^"]*"|'[^']*'|[^'"<>])*>|&#?\w{1,32};/gs

/** The words of the text that HTML shows, and where they stand in the HTML; none of them holds a tag. */
export function tokenizeHtml(html: string): SearchToken[] {
  const words: SearchToken[] = []
  let start = 0
  for (const { 0: markup, index } of html.matchAll(MARKUP)) {
    addTokens(html.slice(start, index), start, words)
    start = index + markup.length
  }
  return addTokens(html.slice(start), start, words)
}

function addTokens(text: string, offset: number, words: SearchToken[]): SearchToken[] {
  // To match all at once copies the expression each time.
  for (let found = WORD.exec(text); found !== null; found = WORD.exec(text)) {
    const { 0: word, index } = found
    const key = keyOf(word)
    if (key !== '') words.push({ key, start: offset + index, end: offset + index + word.length })
  }
  return words
}

/** Words that differ in case, in accents or in a plural's ending alone are one. */
function keyOf(word: string): string {
  if (/^[a-z]+$/i.test(word)) return singular(word.toLowerCase()).slice(0, MAX_KEY_LENGTH)
  const folded = word
    .slice(0, MAX_NORMALIZED)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
  return folded.slice(0, MAX_KEY_LENGTH)
}

/** An English noun without its plural's ending; words that only look like one are cut alike everywhere. */
function singular(word: string): string {
  if (word.length < 4 || !word.endsWith('s') || /[sui]s$/.test(word)) return word
  if (word.endsWith('ies')) return word.length === 4 ? word.slice(0, -1) : `${word.slice(0, -3)}y`
  return /(?:ss|x|zz|sh|[nrt]ch)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1)
}
