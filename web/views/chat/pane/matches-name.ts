const fold = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

/** Whether every word of what was typed stands in the name, with or without marks and capitals. */
export function matchesName(name: string, typed: string): boolean {
  const folded = fold(name)
  return fold(typed)
    .split(/\s+/)
    .every((word) => folded.includes(word))
}
