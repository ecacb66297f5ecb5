const fold = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

/** Returns true if the name contains every word of the query, ignoring case and diacritics. */
export function matchesName(name: string, typed: string): boolean {
  const folded = fold(name)
  return fold(typed)
    .split(/\s+/)
    .every((word) => folded.includes(word))
}
