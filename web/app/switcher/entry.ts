import type { ReactNode } from 'react'
import type { EntryKind } from './order-sections.ts'

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
