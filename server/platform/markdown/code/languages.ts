import { LANGUAGE_TABLE } from './language-table.ts'

type Language = { name: string; aliases: readonly string[] }

let languages: Map<string, Language> | undefined

/** The language's name as clients are told it; one that is not known keeps the name that was typed. */
export function languageName(typed: string): string {
  return findLanguage(typed)?.name ?? typed
}

/** The language's aliases in lower case, the typed one first. */
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
