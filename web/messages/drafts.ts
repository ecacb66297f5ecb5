import { createAtom } from '@tanstack/react-store'
import type { AnswerOf } from '../api/call.ts'
import { EDIT_PREFIX } from '../browser/compose-requests.ts'
import { storesPersonalData } from '../browser/personal-data.ts'
import { countStored } from '../store/stored-state.ts'
import { toParticipants } from './narrow.ts'
import { findKnownNewestId } from './topics.ts'

/** A draft in this browser. Its key includes the user id, since other users may use the same browser. */
export type Draft = {
  channelId?: number
  topic?: string
  people?: readonly number[]
  /** The name of a person or channel that the user has typed as a recipient but not chosen. */
  name?: string
  text?: string
}

/** A stored draft. It includes what the server has of it. */
export type StoredDraft = Draft & {
  /** The id of the draft on the server. */
  serverId?: number | undefined
  /** The text that the server has. */
  syncedText?: string | undefined
  /** The recipients that the draft had here when it was last saved on the server or taken from it (`recipientsForm`). */
  syncedTo?: string | undefined
  /** The time of the last change in UNIX seconds. */
  changedAt?: number | undefined
  /** The id of a message that the topic had when the draft was written. It leads to the topic if that is moved. */
  messageId?: number | undefined
}

/** A topic to which a draft will be sent. */
export type Topic = { readonly channelId: number; readonly topic: string }

const PREFIX = 'parley.draft.'
const storageKeyOf = (key: string) => PREFIX + key

/** A number that changes whenever a draft is added or removed. */
export const draftChanges = createAtom(0)

const noteChange = () => draftChanges.set(draftChanges.get() + 1)

type DraftListener = (key: string) => void

const replacedListeners = new Set<DraftListener>()
const rekeyedListeners = new Set<(from: string, to: string) => void>()
const writtenListeners = new Set<(key: string, removedId: number | undefined) => void>()

/** Calls the listener when a draft was replaced by another tab or device. Returns a function that stops this. */
export function onDraftReplaced(listener: DraftListener): () => void {
  replacedListeners.add(listener)
  return () => void replacedListeners.delete(listener)
}

/** Calls the listener when a draft was changed here. `removedId` is the server's id of a draft that was removed. */
export function onDraftWritten(listener: (key: string, removedId: number | undefined) => void): () => void {
  writtenListeners.add(listener)
  return () => void writtenListeners.delete(listener)
}

/** Calls the listener when a draft has moved to another key, for as long as the page lives. */
export const onDraftRekeyed = (listener: (from: string, to: string) => void): void => {
  rekeyedListeners.add(listener)
}

function emitReplaced(key: string): void {
  for (const listener of replacedListeners) listener(key)
}

if (typeof addEventListener === 'function')
  addEventListener('storage', ({ key }) => {
    if (key !== null && !key.startsWith(PREFIX)) return
    noteChange()
    if (key !== null) emitReplaced(key.slice(PREFIX.length))
  })

export function readStoredDraft(key: string): StoredDraft {
  try {
    return JSON.parse(localStorage.getItem(storageKeyOf(key)) ?? '{}') as StoredDraft
  } catch {
    return {}
  }
}

/** Returns the draft without what the server has of it. */
export function withoutSync({ serverId: _, syncedText: __, syncedTo: ___, ...draft }: StoredDraft): StoredDraft {
  return draft
}

export function readDraft(key: string): Draft {
  const { changedAt: _, messageId: __, ...draft } = withoutSync(readStoredDraft(key))
  return draft
}

/**
 * Returns true if the draft has something that the user has typed and not finished: text, or the name of a recipient.
 * White space is no text.
 */
const isWritten = ({ text, name }: Draft): boolean => Boolean(text?.trim() || name?.trim())

/** Saves a draft, or deletes it if nothing is written. A draft without text stays in this browser. */
export function saveDraft(key: string, draft: Draft): void {
  const known = readStoredDraft(key)
  if (JSON.stringify(readDraft(key)) === JSON.stringify(draft) || (!isWritten(draft) && !isWritten(known))) return
  const { serverId, syncedText, syncedTo } = known
  const changedAt = Math.max(Date.now() / 1000, known.changedAt ?? 0)
  const messageId = findMessageId(draft) ?? (isSameTarget(draft, known) ? known.messageId : undefined)
  const hasText = Boolean(draft.text?.trim())
  const sync = hasText ? { serverId, syncedText, syncedTo } : {}
  storeDraft(key, { ...draft, ...sync, changedAt, messageId })
  const removedId = hasText ? undefined : serverId
  for (const listener of writtenListeners) listener(key, removedId)
}

const findMessageId = ({ channelId, topic }: Draft) =>
  channelId === undefined || topic === undefined ? undefined : findKnownNewestId(channelId, topic.trim())

const isSameTarget = (one: Draft, other: Draft) => one.channelId === other.channelId && one.topic === other.topic

/**
 * Stores a draft under another key, where it stays the same draft on the server. Returns false if this browser cannot
 * store it there.
 */
export function rekeyDraft(from: string, to: string, draft: StoredDraft): boolean {
  storeDraft(to, draft)
  if (readStoredDraft(to).text !== draft.text) return false
  storeDraft(from, {})
  for (const listener of rekeyedListeners) listener(from, to)
  for (const listener of writtenListeners) listener(to, undefined)
  return true
}

/** Changes the topic to which a draft will be sent, even in an open compose box. It stays the same draft on the server. */
export function redirectDraft(key: string, { channelId, topic }: Topic): void {
  replaceDraft(key, { ...readStoredDraft(key), channelId, topic })
  for (const listener of writtenListeners) listener(key, undefined)
}

/** Stores a draft in this browser only. */
export function storeDraft(key: string, draft: StoredDraft): void {
  if (!storesPersonalData()) return
  try {
    const wasThere = localStorage.getItem(storageKeyOf(key)) !== null
    if (isWritten(draft)) localStorage.setItem(storageKeyOf(key), JSON.stringify(draft))
    else localStorage.removeItem(storageKeyOf(key))
    if (wasThere !== isWritten(draft)) noteChange()
  } catch {
    // Without storage, the draft lasts as long as the page.
  }
}

/** Replaces a draft with the version of another device, even in an open compose box. */
export function replaceDraft(key: string, draft: StoredDraft): void {
  storeDraft(key, draft)
  emitReplaced(key)
}

type SentListener = (key: string, sent: string) => void

const sentListeners = new Set<SentListener>()

/** Calls the listener when the text of a draft has been sent. Returns a function that stops this. */
export function onSent(listener: SentListener): () => void {
  sentListeners.add(listener)
  return () => void sentListeners.delete(listener)
}

/** Removes sent text from a draft, even if the user has since left its page. */
export function emitSent(key: string, sent: string): void {
  const { text = '', ...where } = readDraft(key)
  saveDraft(key, { ...where, text: textAfterSending(text, sent) })
  for (const listener of sentListeners) listener(key, sent)
}

/**
 * Returns the text of a draft without the sent text at its start: the text that was typed while the message was being
 * sent.
 */
export const textAfterSending = (text: string, sent: string): string =>
  text.startsWith(sent) ? text.slice(sent.length).trimStart() : text

export const topicDraftKey = (ownId: number, channelId: number | string, topic: string): string =>
  `${ownId}.${channelId}.${topic.toLowerCase()}`

export const directDraftKey = (ownId: number, people: readonly number[]): string => `${ownId}.dm.${people}`

/** Returns the key of the draft on the page that starts messages. */
export const newDraftKey = (ownId: number): string => `${ownId}.new`

/** Returns the key of a further draft of a conversation, which its compose box does not show. */
export const furtherDraftKey = (ownId: number, id: number): string => `${ownId}.further.${id}`

/** Returns the number of the user's drafts and unsaved edits whose latest text is only in this browser. */
export const countUnsavedDrafts = (ownId: number): number =>
  countStored(ownId, EDIT_PREFIX) +
  draftKeysOf(ownId)
    .map(readStoredDraft)
    .filter(({ text, syncedText }) => text !== syncedText).length

/** Returns the keys of the user's drafts in this browser. */
export const draftKeysOf = (ownId: number): string[] => draftKeys().filter((key) => key.startsWith(`${ownId}.`))

/** Returns the keys of all drafts in this browser, of any user. */
export function draftKeys(): string[] {
  try {
    return Object.keys(localStorage).flatMap((key) => (key.startsWith(PREFIX) ? [key.slice(PREFIX.length)] : []))
  } catch {
    return []
  }
}

/** A draft in the form that the server returns. */
export type ServerDraft = AnswerOf<'GET /drafts'>['drafts'][number]

/** A draft in the form that the client sends to the server. */
export type NewDraft = Pick<ServerDraft, 'type' | 'to' | 'topic' | 'content' | 'timestamp'>

/** Returns a draft of this browser in the form of the API. */
export function toServerDraft(key: string, draft: Draft, now: number): NewDraft {
  const content = draft.text ?? ''
  const timestamp = Math.floor(now)
  // Other devices do not know the name that the user has not finished, and must not send the message to the others.
  if (draft.name?.trim()) return { type: '', to: [], topic: '', content, timestamp }
  // A draft can be for other recipients than the page on which it is written.
  const people = draft.people ?? (draft.channelId === undefined ? peopleOfKey(key) : undefined)
  if (people?.length === 0) return { type: '', to: [], topic: '', content, timestamp }
  if (people !== undefined) return { type: 'private', to: [...people], topic: '', content, timestamp }
  const channelId = draft.channelId ?? channelOfKey(key)
  if (channelId === undefined) return { type: '', to: [], topic: '', content, timestamp }
  return { type: 'stream', to: [channelId], topic: draft.topic ?? '', content, timestamp }
}

function peopleOfKey(key: string): number[] | undefined {
  const [, list] = /^\d+\.dm\.([\d,]+)$/.exec(key) ?? []
  return list?.split(',').map(Number)
}

function channelOfKey(key: string): number | undefined {
  const [, id] = /^\d+\.(\d+)(?:\.|$)/.exec(key) ?? []
  return id === undefined ? undefined : Number(id)
}

/**
 * Returns a string that identifies the recipients of a draft. It is the same for the request and for the response, in
 * which the server has trimmed the topic.
 */
export const recipientsForm = ({ type, to, topic }: Pick<NewDraft, 'type' | 'to' | 'topic'>): string =>
  JSON.stringify([type, to.toSorted(), topic.trim()])

/** Returns the recipients of a draft of the server in the form of this browser. */
export function recipientsOf(ownId: number, { type, to, topic }: NewDraft): Omit<Draft, 'text'> {
  if (type === 'private' && to.length > 0) return { people: toParticipants(to, ownId) }
  const channelId = type === 'stream' ? to[0] : undefined
  return channelId === undefined ? {} : { channelId, topic }
}

/** Returns the key under which this browser stores a draft of the server that it does not know. */
export function keyOfServerDraft(ownId: number, remote: NewDraft): string {
  const { people, channelId, topic = '' } = recipientsOf(ownId, remote)
  if (people !== undefined) return directDraftKey(ownId, people)
  return channelId === undefined ? newDraftKey(ownId) : topicDraftKey(ownId, channelId, topic)
}
