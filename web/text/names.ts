import { translation } from './t.ts'

const list = new Intl.ListFormat(translation.language)

/** Returns names as a list in a sentence: "Ada, Ben, and Cleo". */
export const joinNames = (names: Iterable<string>): string => list.format(names)

/** Returns the first letter of the first word and of the last word of a name, in upper case. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/)
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => [...(word ?? '')][0] ?? '')
  return letters.join('').toUpperCase()
}
