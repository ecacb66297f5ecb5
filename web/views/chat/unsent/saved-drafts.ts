import type { Narrow } from '../../../store/messages/narrow.ts'
import { type Draft, draftChanges, draftKeys, readDraft } from '../../composer/drafts.ts'
import { readPeople } from '../current-narrow.ts'

/** A draft, and the page whose composer holds it; null for the start page. */
export type SavedDraft = {
  readonly place: string
  readonly narrow: Extract<Narrow, { kind: 'channel' | 'topic' | 'direct' }> | null
  readonly draft: Draft
}

/** One's drafts on this device. */
export function useSavedDrafts(ownId: number): SavedDraft[] {
  draftChanges.use()
  return draftKeys().flatMap((conversation) => toSavedDraft(conversation, readDraft(conversation), ownId) ?? [])
}

/** What a composer kept at a place; null for what is somebody else's, or makes no sense. */
export function toSavedDraft(conversation: string, draft: Draft, ownId: number): SavedDraft | null {
  const own = `${ownId}.`
  if (!conversation.startsWith(own) || typeof draft.text !== 'string' || draft.text === '') return null
  const rest = conversation.slice(own.length)
  if (rest === 'any') return { place: conversation, narrow: null, draft }
  if (rest.startsWith('dm.')) {
    const people = readPeople(rest.slice('dm.'.length))
    return people && { place: conversation, narrow: { kind: 'direct', people }, draft }
  }
  const [, id, topic] = /^(\d+)(?:\.(.*))?$/s.exec(rest) ?? []
  if (id === undefined) return null
  const channelId = Number(id)
  if (topic === undefined) return { place: conversation, narrow: { kind: 'channel', channelId }, draft }
  // The place has the topic in small letters; whoever writes under another one than they read keeps it here all the same.
  const name = draft.topic?.toLowerCase() === topic ? draft.topic : topic
  return { place: conversation, narrow: { kind: 'topic', channelId, topic: name }, draft }
}
