import { storesPersonalData } from '../../store/browser/personal-data.ts'
import { createStore } from '../../ui/create-store.ts'
import { textAfterSending } from './message-text.ts'

/** A draft in this browser. Its key includes the user id, since others may use the same browser. */
export type Draft = { channelId?: number; topic?: string; people?: readonly number[]; text?: string }

type Topic = { readonly channelId: number; readonly topic: string }

const PREFIX = 'parley.draft.'
const keyOf = (conversation: string) => PREFIX + conversation

/** Changes whenever a draft is added or removed. */
export const draftChanges = createStore(0)

const noteChange = () => draftChanges.set(draftChanges.get() + 1)

if (typeof addEventListener === 'function')
  addEventListener('storage', ({ key }) => (key === null || key.startsWith(PREFIX)) && noteChange())

export function readDraft(conversation: string): Draft {
  try {
    return JSON.parse(localStorage.getItem(keyOf(conversation)) ?? '{}') as Draft
  } catch {
    return {}
  }
}

/** Saves a draft; deletes it if it has no text. */
export function saveDraft(conversation: string, draft: Draft): void {
  if (!storesPersonalData()) return
  try {
    const wasThere = localStorage.getItem(keyOf(conversation)) !== null
    if (draft.text) localStorage.setItem(keyOf(conversation), JSON.stringify(draft))
    else localStorage.removeItem(keyOf(conversation))
    if (wasThere !== Boolean(draft.text)) noteChange()
  } catch {
    // Without storage, the draft lasts as long as the page.
  }
}

type SentListener = (target: string, sent: string) => void

const sentListeners = new Set<SentListener>()

/** Calls the listener when text of a draft was sent. Returns a function that stops this. */
export function onSent(listener: SentListener): () => void {
  sentListeners.add(listener)
  return () => void sentListeners.delete(listener)
}

/** Removes sent text from a draft, also if the user has left its page meanwhile. */
export function emitSent(conversation: string, sent: string): void {
  const { text = '', ...where } = readDraft(conversation)
  saveDraft(conversation, { ...where, text: textAfterSending(text, sent) })
  for (const listener of sentListeners) listener(conversation, sent)
}

/** Returns the key of a topic's draft. */
export const topicDraftKey = (ownId: number, channelId: number | string, topic: string): string =>
  `${ownId}.${channelId}.${topic.toLowerCase()}`

/** Moves a draft along with its topic, unless the new topic has one. */
export function moveDraft(ownId: number, from: Topic, to: Topic): void {
  const [conversation, next] = [
    topicDraftKey(ownId, from.channelId, from.topic),
    topicDraftKey(ownId, to.channelId, to.topic),
  ]
  const draft = readDraft(conversation)
  if (!draft.text || readDraft(next).text) return
  saveDraft(next, { ...draft, channelId: to.channelId, topic: to.topic })
  saveDraft(conversation, {})
}

/** Returns the number of the user's drafts in this browser. */
export const countDrafts = (ownId: number): number =>
  draftKeys().filter((conversation) => conversation.startsWith(`${ownId}.`)).length

/** Returns the keys of all drafts in this browser, of any user. */
export function draftKeys(): string[] {
  try {
    return Object.keys(localStorage).flatMap((key) => (key.startsWith(PREFIX) ? [key.slice(PREFIX.length)] : []))
  } catch {
    return []
  }
}
