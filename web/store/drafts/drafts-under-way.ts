import { storesPersonalData } from '../browser/personal-data.ts'
import { currentOrganization } from '../organization.ts'
import { type NewDraft, recipientsForm, type ServerDraft } from './server-draft.ts'

/** The time within which the events of a request arrive after its response, in milliseconds. */
const EVENT_DELAY = 60_000

/** Milliseconds for which a request without a response is remembered, since the server may have saved its draft. */
const MAX_AGE = 86_400_000

/**
 * A draft that was sent to the server. `id` is null until the server has responded. `until` is the time at which this
 * record expires, in UNIX milliseconds.
 */
type SentDraft = { readonly key: string; readonly id: number | null; readonly until: number }

const storageKey = () => `parley.kept.${currentOrganization()?.user_id ?? 0}.drafts-under-way`

/** Returns the key of the draft if this browser has recently sent it to the server in this form; null otherwise. */
export function keyUnderWay(draft: ServerDraft): string | null {
  const sent = read()[formOf(draft)]
  return sent !== undefined && (sent.id === null || sent.id === draft.id) ? sent.key : null
}

/** Returns whether this browser has recently saved the draft with this key under this id. */
export const isSavedHere = (key: string, id: number): boolean =>
  Object.values(read()).some((sent) => sent.key === key && sent.id === id)

/** Records that a draft is being sent. The record survives a reload, and other tabs read it, too. */
export const noteUnderWay = (key: string, draft: NewDraft, id: number | null): void =>
  write(draft, { key, id }, MAX_AGE)

/** Records the id that the server has given to a draft. */
export const noteSaved = (key: string, draft: NewDraft, id: number): void => write(draft, { key, id }, EVENT_DELAY)

/**
 * Returns a string that identifies a draft. It is the same for the request and for the response, in which the server
 * has trimmed the fields. The time distinguishes equal drafts of two devices.
 */
const formOf = (draft: NewDraft): string =>
  JSON.stringify([recipientsForm(draft), draft.content.trim(), draft.timestamp])

/** Returns the records of sent drafts that have not expired, by the string that identifies the draft (`formOf`). */
function read(): Record<string, SentDraft> {
  try {
    const all = JSON.parse(localStorage.getItem(storageKey()) ?? '{}') as Record<string, SentDraft>
    return Object.fromEntries(Object.entries(all).filter(([, { until }]) => until > Date.now()))
  } catch {
    return {}
  }
}

function write(draft: NewDraft, sent: Omit<SentDraft, 'until'>, time: number): void {
  if (!storesPersonalData()) return
  try {
    const all = { ...read(), [formOf(draft)]: { ...sent, until: Date.now() + time } }
    localStorage.setItem(storageKey(), JSON.stringify(all))
  } catch {
    // Without storage, a sent draft may come back after a reload.
  }
}
