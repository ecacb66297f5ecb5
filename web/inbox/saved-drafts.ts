import { useSelector } from '@tanstack/react-store'
import { type Draft, draftChanges, draftKeys, readDraft } from '../messages/drafts.ts'
import type { Narrow } from '../messages/narrow.ts'
import { readPeople } from '../navigation/narrow-location.ts'

/**
 * A draft and the narrow of the page it was written on. The narrow is null for pages on which the user chooses the
 * recipients in the compose box, such as feeds, and for further drafts of a conversation.
 */
export type SavedDraft = {
  readonly key: string
  readonly narrow: Extract<Narrow, { kind: 'channel' | 'topic' | 'direct' }> | null
  readonly draft: Draft
}

/** Returns the user's drafts in this browser. */
export function useSavedDrafts(ownId: number): SavedDraft[] {
  useSelector(draftChanges)
  return draftKeys().flatMap((key) => toSavedDraft(key, readDraft(key), ownId) ?? [])
}

/** Reads a stored draft; null if it belongs to another user or is invalid. */
export function toSavedDraft(key: string, draft: Draft, ownId: number): SavedDraft | null {
  const own = `${ownId}.`
  if (!key.startsWith(own) || typeof draft.text !== 'string' || draft.text.trim() === '') return null
  const rest = key.slice(own.length)
  if (rest === 'any' || rest === 'new' || rest.startsWith('further.')) return { key, narrow: null, draft }
  if (rest.startsWith('dm.')) {
    const people = readPeople(rest.slice('dm.'.length))
    return people && { key, narrow: { kind: 'direct', people }, draft }
  }
  const [, id, topic] = /^(\d+)(?:\.(.*))?$/s.exec(rest) ?? []
  if (id === undefined) return null
  const channelId = Number(id)
  if (topic === undefined) return { key, narrow: { kind: 'channel', channelId }, draft }
  // The key has the topic in lower case. The draft may also be for a topic other than the page's.
  const name = draft.topic?.toLowerCase() === topic ? draft.topic : topic
  return { key, narrow: { kind: 'topic', channelId, topic: name }, draft }
}
