import { storesPersonalData } from '../../store/browser/personal-data.ts'
import { createStore } from '../../ui/create-store.ts'
import { textAfterSending } from './message-text.ts'

/** What somebody began to write, kept on this device. `place` is theirs alone: others may use the same browser. */
export type Draft = { channelId?: number; topic?: string; text?: string }

type Topic = { readonly channelId: number; readonly topic: string }

const PREFIX = 'parley.draft.'
const keyOf = (conversation: string) => PREFIX + conversation

/** Is another one whenever a draft comes or goes. */
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

/** Keeps the draft; one without a text is forgotten. */
export function saveDraft(conversation: string, draft: Draft): void {
  if (!storesPersonalData()) return
  try {
    const wasThere = localStorage.getItem(keyOf(conversation)) !== null
    if (draft.text) localStorage.setItem(keyOf(conversation), JSON.stringify(draft))
    else localStorage.removeItem(keyOf(conversation))
    if (wasThere !== Boolean(draft.text)) noteChange()
  } catch {
    // Without storage the draft lasts as long as the page.
  }
}

type SentListener = (target: string, sent: string) => void

const sentListeners = new Set<SentListener>()

/** Calls the listener when something was sent of a draft, until what it returns is called. */
export function onSent(listener: SentListener): () => void {
  sentListeners.add(listener)
  return () => void sentListeners.delete(listener)
}

/** Takes from a draft what was sent of it, though whoever wrote it has gone elsewhere meanwhile, or has come back. */
export function emitSent(conversation: string, sent: string): void {
  const { text = '', ...where } = readDraft(conversation)
  saveDraft(conversation, { ...where, text: textAfterSending(text, sent) })
  for (const listener of sentListeners) listener(conversation, sent)
}

/** Where the draft is kept that somebody writes to a topic. */
export const topicDraftKey = (ownId: number, channelId: number | string, topic: string): string =>
  `${ownId}.${channelId}.${topic.toLowerCase()}`

/** Has a draft belong to where its topic went; one that stands there already stays, and so does this. */
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

/** Returns how many drafts a person has on this device. */
export const countDrafts = (ownId: number): number =>
  draftKeys().filter((conversation) => conversation.startsWith(`${ownId}.`)).length

/** The places of all drafts on this device, whoever wrote them. */
export function draftKeys(): string[] {
  try {
    return Object.keys(localStorage).flatMap((key) => (key.startsWith(PREFIX) ? [key.slice(PREFIX.length)] : []))
  } catch {
    return []
  }
}
