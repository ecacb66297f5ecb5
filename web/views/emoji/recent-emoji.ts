import { storesPersonalData } from '../../store/browser/personal-data.ts'

/** The maximum number of recently used emoji that are kept. */
const MAX_COUNT = 18

const storageKey = (userId: number) => `parley.emoji.${userId}`

/** Returns the keys of the user's recently used emoji in this browser, latest first. */
export function recentEmoji(userId: number): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(storageKey(userId)) ?? '[]')
    return Array.isArray(kept) ? kept.filter((key) => typeof key === 'string') : []
  } catch {
    return []
  }
}

export function addRecentEmoji(userId: number, key: string): void {
  if (!storesPersonalData()) return
  try {
    const others = recentEmoji(userId).filter((one) => one !== key)
    localStorage.setItem(storageKey(userId), JSON.stringify([key, ...others].slice(0, MAX_COUNT)))
  } catch {
    // Without storage, there are no recent emoji.
  }
}
