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
