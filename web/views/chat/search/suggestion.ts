import type { ReactNode } from 'react'
import type { SearchFilter } from '../../../store/messages/search-query.ts'
import type { Organization } from '../../../store/organization.ts'

/** An entry of the list below the search field. */
export type SearchSuggestion = {
  readonly id: string
  readonly label: string
  readonly hint?: string
  readonly icon: ReactNode
  /** Choosing it searches for the typed text, adds a filter, starts a filter, or repeats a search. */
  readonly does:
    | { readonly kind: 'search' }
    | { readonly kind: 'add'; readonly filter: SearchFilter }
    | { readonly kind: 'start'; readonly text: string }
    | { readonly kind: 'repeat'; readonly text: string }
}

export type SuggestionSection = {
  readonly id: string
  readonly title: string
  readonly entries: readonly SearchSuggestion[]
}

/** The data from which suggestions are made. */
export type SuggestionContext = {
  readonly organization: Organization
  readonly filters: readonly SearchFilter[]
  /** The latest searches, newest first. */
  readonly recent: readonly string[]
  /** The topics to suggest, latest first. */
  readonly topics: readonly string[]
}
