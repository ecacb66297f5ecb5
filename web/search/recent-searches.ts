import { storesPersonalData } from '../browser/personal-data.ts'
import { currentOrganization } from '../store/organization.ts'

const MAX_KEPT = 8

// Logging out removes keys with this prefix.
const keyOf = (userId: number | undefined) => `parley.kept.${userId}.searches`

/** Returns the latest searches of the user in this browser, newest first. */
export function recentSearches(): string[] {
  try {
    const known: unknown = JSON.parse(localStorage.getItem(keyOf(currentOrganization()?.user_id)) ?? '[]')
    return Array.isArray(known) ? known.filter((text) => typeof text === 'string') : []
  } catch {
    return []
  }
}

/** Puts a search at the front of the latest searches. */
export function addRecentSearch(text: string): void {
  save([text, ...recentSearches().filter((other) => other !== text)].slice(0, MAX_KEPT))
}

export const clearRecentSearches = (): void => save([])

function save(searches: readonly string[]): void {
  try {
    if (storesPersonalData()) localStorage.setItem(keyOf(currentOrganization()?.user_id), JSON.stringify(searches))
  } catch {
    // Without storage, there are no latest searches.
  }
}
