import { EMOJI_TABLE } from './emoji-table.ts'

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
