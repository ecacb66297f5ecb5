import { plainName } from '../../../ui/text/rank.ts'

/** An entry of the settings search: a setting, or a section of settings. */
export type SettingEntry = {
  readonly label: string
  /** The area and section that contain the entry. */
  readonly within: string
  readonly to: string
  /** The name of the setting; undefined for a section. */
  readonly setting?: string
  /** More texts in which the search finds the entry, such as its description. */
  readonly texts?: readonly string[]
}

/**
 * Returns the entries that contain every word of the query, in their label, section, description or values. Entries
 * whose label contains the first word come first.
 */
export function findSettings(entries: readonly SettingEntry[], query: string): SettingEntry[] {
  const words = plainName(query).split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const matches = entries.filter(({ label, within, texts = [] }) => {
    const all = plainName([label, within, ...texts].join(' '))
    return words.every((word) => all.includes(word))
  })
  const rankOf = ({ label }: SettingEntry) => {
    const plain = plainName(label)
    return plain.startsWith(words[0]!) ? 0 : plain.includes(words[0]!) ? 1 : 2
  }
  return matches.toSorted((one, other) => rankOf(one) - rankOf(other))
}
