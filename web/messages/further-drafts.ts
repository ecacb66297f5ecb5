import { draftConflicts } from './draft-sync.ts'
import {
  type Draft,
  draftKeysOf,
  furtherDraftKey,
  keyOfServerDraft,
  readDraft,
  readStoredDraft,
  recipientsOf,
  rekeyDraft,
  type StoredDraft,
  storeDraft,
  toServerDraft,
} from './drafts.ts'

/** Keys of drafts that their conversation shows when it opens, if they are newer than its own draft. */
const LOOSE_KEY = /^\d+\.(further\.\d+|any|\d+)$/

/**
 * Returns the key of the draft that a compose box shows when it opens: its own, or a newer one for the same
 * conversation, which is a further draft or was written in a feed.
 */
export function newestDraftKey(ownId: number, key: string): string {
  const others = draftKeysOf(ownId).filter((one) => one !== key && isLooseDraftOf(ownId, one, key))
  return others.reduce((newest, one) => (ageRank(one) > ageRank(newest) ? one : newest), key)
}

function isLooseDraftOf(ownId: number, key: string, conversationKey: string): boolean {
  const draft = readDraft(key)
  return LOOSE_KEY.test(key) && keyOfServerDraft(ownId, toServerDraft(key, draft, 0)) === conversationKey
}

/** Returns a number that is greater for newer drafts, and negative for none. */
function ageRank(key: string): number {
  const { text, changedAt = 0 } = readStoredDraft(key)
  return text?.trim() ? changedAt : -1
}

/**
 * Makes a draft the one that the compose box of the key shows. The draft that it showed becomes a further draft. Returns
 * false if there is no draft to show, or if this browser cannot store it.
 */
export function showDraft(ownId: number, from: string, key: string): boolean {
  // Clocks of other devices may be fast.
  const latest = Math.ceil(ageRank(newestDraftKey(ownId, key)))
  const draft = { ...withRecipients(ownId, from), changedAt: Math.max(Date.now() / 1000, latest + 1) }
  if (!draft.text) return false
  if (from !== key) return setDraftAside(ownId, key) && rekeyDraft(from, key, draft)
  storeDraft(key, { ...readStoredDraft(key), changedAt: draft.changedAt })
  return true
}

/** Makes the draft of a compose box a further draft. Returns false if this is not possible now. */
export function setDraftAside(ownId: number, key: string): boolean {
  const draft = withRecipients(ownId, key)
  if (!draft.text?.trim()) return true
  // The user has to choose between two versions first.
  if (draftConflicts.get().has(key)) return false
  return rekeyDraft(key, freeFurtherKey(ownId, draft), draft)
}

/** Returns a key for a new further draft. */
export function freeFurtherKey(ownId: number, { serverId }: StoredDraft): string {
  let id = serverId ?? Math.floor(Date.now() / 1000)
  while (readDraft(furtherDraftKey(ownId, id)).text) id += 1
  return furtherDraftKey(ownId, id)
}

/** Returns a stored draft together with the recipients that its key implies. */
export function withRecipients(ownId: number, key: string): StoredDraft {
  const { name, ...stored } = readStoredDraft(key)
  const recipients: Draft = recipientsOf(ownId, toServerDraft(key, stored, 0))
  return { ...stored, ...recipients, ...(name !== undefined && { name }) }
}
