import { storesPersonalData } from '../../store/browser/personal-data.ts'
import { cell } from '../../store/cell.ts'
import { restOf } from './message-text.ts'

/** What somebody began to write, kept on this device. `place` is theirs alone: others may use the same browser. */
export type Draft = { channelId?: number; topic?: string; text?: string }

type Topic = { readonly channelId: number; readonly topic: string }

const PREFIX = 'parley.draft.'
const keyOf = (place: string) => PREFIX + place

/** Is another one whenever a draft comes or goes. */
export const draftChanges = cell(0)

const noteChange = () => draftChanges.set(draftChanges.get() + 1)

if (typeof addEventListener === 'function')
  addEventListener('storage', ({ key }) => (key === null || key.startsWith(PREFIX)) && noteChange())

export function readDraft(place: string): Draft {
  try {
    return JSON.parse(localStorage.getItem(keyOf(place)) ?? '{}') as Draft
  } catch {
    return {}
  }
}

/** Keeps the draft; one without a text is forgotten. */
export function saveDraft(place: string, draft: Draft): void {
  if (!storesPersonalData()) return
  try {
    const wasThere = localStorage.getItem(keyOf(place)) !== null
    if (draft.text) localStorage.setItem(keyOf(place), JSON.stringify(draft))
    else localStorage.removeItem(keyOf(place))
    if (wasThere !== Boolean(draft.text)) noteChange()
  } catch {
    // Without storage the draft lasts as long as the page.
  }
}

type SentListener = (place: string, sent: string) => void

const sentListeners = new Set<SentListener>()

/** Calls the listener when something was sent of a draft, until what it returns is called. */
export function hearSent(listener: SentListener): () => void {
  sentListeners.add(listener)
  return () => void sentListeners.delete(listener)
}

/** Takes from a draft what was sent of it, though whoever wrote it has gone elsewhere meanwhile, or has come back. */
export function dropSent(place: string, sent: string): void {
  const { text = '', ...where } = readDraft(place)
  saveDraft(place, { ...where, text: restOf(text, sent) })
  for (const listener of sentListeners) listener(place, sent)
}

/** Where the draft is kept that somebody writes to a topic. */
export const topicPlace = (ownId: number, channelId: number | string, topic: string): string =>
  `${ownId}.${channelId}.${topic.toLowerCase()}`

/** Has a draft belong to where its topic went; one that stands there already stays, and so does this. */
export function moveDraft(ownId: number, from: Topic, to: Topic): void {
  const [place, next] = [topicPlace(ownId, from.channelId, from.topic), topicPlace(ownId, to.channelId, to.topic)]
  const draft = readDraft(place)
  if (!draft.text || readDraft(next).text) return
  saveDraft(next, { ...draft, channelId: to.channelId, topic: to.topic })
  saveDraft(place, {})
}

/** Returns how many drafts a person has on this device. */
export const countDrafts = (ownId: number): number =>
  draftPlaces().filter((place) => place.startsWith(`${ownId}.`)).length

/** The places of all drafts on this device, whoever wrote them. */
export function draftPlaces(): string[] {
  try {
    return Object.keys(localStorage).flatMap((key) => (key.startsWith(PREFIX) ? [key.slice(PREFIX.length)] : []))
  } catch {
    return []
  }
}
