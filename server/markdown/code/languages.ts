import { LANGUAGE_TABLE } from './language-table.ts'

let names: Map<string, string> | undefined

/** The language's name as clients are told it; one that is not known keeps the name that was typed. */
export function languageName(typed: string): string {
  names ??= parseTable()
  return names.get(typed.toLowerCase()) ?? typed
}

function parseTable(): Map<string, string> {
  const parsed = new Map<string, string>()
  for (const entry of LANGUAGE_TABLE.split(';')) {
    const [name, ...aliases] = entry.trim().split('|') as [string, ...string[]]
    for (const alias of aliases) if (!parsed.has(alias)) parsed.set(alias, name)
  }
  return parsed
}
