import { translation } from './translation.ts'

const list = new Intl.ListFormat(translation.language)

/** Returns names as a list in a sentence: "Ada, Ben, and Cleo". */
export const joinNames = (names: Iterable<string>): string => list.format(names)
