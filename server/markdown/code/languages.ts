import { LANGUAGE_TABLE } from './language-table.ts'

type Language = { name: string; aliases: readonly string[] }

let languages: Map<string, Language> | undefined

/** Returns the name of the language for clients; an unknown language keeps its typed name. */
export function languageName(typed: string): string {
  return findLanguage(typed)?.name ?? typed
}

/** Returns the aliases of the language in lower case, with the typed alias first. */
export function languageAliases(typed: string): readonly string[] {
  return [typed.toLowerCase(), ...(findLanguage(typed)?.aliases ?? [])]
}

function findLanguage(typed: string): Language | undefined {
  languages ??= parseTable()
  return languages.get(typed.toLowerCase())
}

function parseTable(): Map<string, Language> {
  const parsed = new Map<string, Language>()
  for (const entry of LANGUAGE_TABLE.split(';')) {
    const [name, ...aliases] = entry.trim().split('|') as [string, ...string[]]
    for (const alias of aliases) if (!parsed.has(alias)) parsed.set(alias, { name, aliases })
  }
  return parsed
}
