import type { ReactNode } from 'react'
import { plainName } from '#rules/plain-name.ts'

/** The kinds of entries. Among entries that match equally well, those of an earlier kind come first. */
const KINDS = ['channel', 'person', 'topic', 'conversation', 'group', 'message', 'page', 'command'] as const

/** The kind of an entry. `conversation` is a direct message conversation with several people. */
export type EntryKind = (typeof KINDS)[number]

type Matched = { readonly kind: EntryKind; readonly name: string; readonly also?: string | undefined }

type Section = { readonly entries: readonly Matched[] }

/** How well a name matches, best first: it is the query, it starts with it, one of its words does, anything else. */
const Match = { exact: 0, start: 1, word: 2, other: 3 } as const

/**
 * Leaves out empty sections, and puts the best matches first: in each section, and the section with the best first entry
 * before the others. Without a query, the order stays.
 */
export function orderSections<One extends Section>(sections: readonly One[], query: string): One[] {
  const plain = plainName(query).trim()
  const filled = sections.filter(({ entries }) => entries.length > 0)
  if (plain === '') return filled
  const matchOf = (entry: Matched) => matchWith(entry, plain)
  const scoreOf = ({ entries: [first] }: Section) => matchOf(first!) * KINDS.length + KINDS.indexOf(first!.kind)
  return filled
    .map((section) => ({
      ...section,
      entries: section.entries.toSorted((one, other) => matchOf(one) - matchOf(other)),
    }))
    .sort((one, other) => scoreOf(one) - scoreOf(other))
}

function matchWith({ kind, name, also }: Matched, query: string): number {
  // A search for messages finds the query wherever it is.
  if (kind === 'message') return Match.other
  if (also !== undefined) return Math.min(matchWith({ kind, name }, query), matchWith({ kind, name: also }, query))
  const plain = plainName(name)
  if (plain === query) return Match.exact
  if (plain.startsWith(query)) return Match.start
  if (!` ${plain}`.includes(` ${query}`)) return Match.other
  // People are looked for by their last names as well.
  return kind === 'person' ? Match.start : Match.word
}

/** An entry of the quick switcher. */
export type Entry = {
  readonly id: string
  readonly kind: EntryKind
  /** The text to search, in which matches are marked. */
  readonly name: string
  readonly icon: ReactNode
  /** Another name, by which the entry is found too. */
  readonly also?: string | undefined
  /** Text before the name, such as the channel of a topic. */
  readonly before?: string | undefined
  /** The text that is the title of a resolved topic. */
  readonly resolved?: 'name' | 'before'
  /** The content at the end, such as a time or a shortcut. */
  readonly detail?: ReactNode
  readonly run: () => void
}

export type EntrySection = { readonly id: string; readonly title: string; readonly entries: readonly Entry[] }

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
