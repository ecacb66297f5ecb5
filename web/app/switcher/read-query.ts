/** The kinds of entries that a query looks for. */
type SwitcherScope = 'all' | 'conversations' | 'people' | 'commands'

type SwitcherQuery = { readonly scope: SwitcherScope; readonly words: string }

const SCOPES: Readonly<Record<string, SwitcherScope>> = { '#': 'conversations', '@': 'people', '>': 'commands' }

/**
 * Reads what the user typed: `#` finds only conversations, `@` only people, groups and direct messages, `>` only commands
 * and pages.
 */
export function readQuery(typed: string): SwitcherQuery {
  const text = typed.trimStart()
  const scope = SCOPES[text.slice(0, 1)]
  return scope === undefined ? { scope: 'all', words: text.trim() } : { scope, words: text.slice(1).trim() }
}
