import { hasLocks } from '../store/leadership.ts'
import { draftConflicts } from './draft-sync.ts'
import {
  draftKeysOf,
  readDraft,
  readStoredDraft,
  redirectDraft,
  rekeyDraft,
  replaceDraft,
  type Topic,
  topicDraftKey,
} from './drafts.ts'
import { freeFurtherKey, withRecipients } from './further-drafts.ts'
import { isSameTopic } from './narrow.ts'
import { findDestination } from './topics.ts'

const keyOf = (ownId: number, { channelId, topic }: Topic) => topicDraftKey(ownId, channelId, topic)

/** The name of the lock that tabs hold while a compose box of the topic contains its draft. */
const lockOf = (key: string) => `parley.draft.${key}`

/**
 * Lets the saved drafts for a topic follow when it was moved as a whole. The draft in a compose box of the topic follows
 * when no tab shows this compose box. `isOpen` is true if this tab does.
 */
export function moveDrafts(ownId: number, from: Topic, to: Topic, isOpen: boolean): void {
  const fromKey = keyOf(ownId, from)
  for (const key of draftKeysOf(ownId)) if (key !== fromKey && isFor(ownId, key, from)) redirectDraft(key, to)
  if (!hasLocks()) {
    if (!isOpen) moveTopicDraft(ownId, from, to)
    return
  }
  void navigator.locks.request(lockOf(fromKey), () => {
    // The topic may have moved again, or back.
    const now = findDestination({ kind: 'topic', ...from })
    if (now !== undefined) moveTopicDraft(ownId, from, now)
  })
}

/** Keeps the draft of a topic where it is, until the returned function is called. */
export function holdTopicDraft(key: string): () => void {
  if (!hasLocks()) return () => {}
  const { promise, resolve } = Promise.withResolvers<void>()
  void navigator.locks.request(lockOf(key), { mode: 'shared' }, () => promise)
  return resolve
}

/**
 * Moves the draft that was written on the page of a topic. It becomes a further draft if the new topic has a draft. It
 * stays if the user chose other recipients, or has to choose between two versions of it.
 */
export function moveTopicDraft(ownId: number, from: Topic, to: Topic): void {
  const [fromKey, toKey] = [keyOf(ownId, from), keyOf(ownId, to)]
  if (!isFor(ownId, fromKey, from) || draftConflicts.get().has(fromKey)) return
  if (fromKey === toKey) return redirectDraft(fromKey, to)
  const draft = { ...readStoredDraft(fromKey), channelId: to.channelId, topic: to.topic }
  const key = readDraft(toKey).text ? freeFurtherKey(ownId, draft) : toKey
  // A compose box of the new topic may be open.
  if (rekeyDraft(fromKey, key, draft)) replaceDraft(key, draft)
}

/** Returns true if the draft will be sent to the topic. */
function isFor(ownId: number, key: string, { channelId, topic }: Topic): boolean {
  const draft = withRecipients(ownId, key)
  if (!draft.text || draft.channelId !== channelId) return false
  return draft.topic !== undefined && isSameTopic(draft.topic, topic)
}
