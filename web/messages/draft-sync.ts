import { createAtom } from '@tanstack/react-store'
import { ApiError } from '../api/api-error.ts'
import { call } from '../api/call.ts'
import { storesPersonalData } from '../browser/personal-data.ts'
import { onRestored } from '../store/connection.ts'
import { hasLocks } from '../store/leadership.ts'
import { currentOrganization } from '../store/organization.ts'
import {
  draftKeysOf,
  furtherDraftKey,
  keyOfServerDraft,
  type NewDraft,
  onDraftWritten,
  readStoredDraft,
  recipientsForm,
  recipientsOf,
  replaceDraft,
  type ServerDraft,
  type StoredDraft,
  storeDraft,
  toServerDraft,
  withoutSync,
} from './drafts.ts'
import { isMessageTooLong, isTopicTooLong } from './message.ts'

const removedStorage = () => `parley.kept.${currentOrganization()?.user_id ?? 0}.removed-drafts`

/** Returns the ids of drafts that were removed here but that the server may still have. */
function removedIds(): ReadonlySet<number> {
  try {
    return new Set(JSON.parse(localStorage.getItem(removedStorage()) ?? '[]') as number[])
  } catch {
    return new Set()
  }
}

function noteRemoval(id: number): void {
  writeRemoved(new Set([...removedIds(), id]))
}

function forgetRemoval(id: number): void {
  const ids = new Set(removedIds())
  if (ids.delete(id)) writeRemoved(ids)
}

function writeRemoved(ids: ReadonlySet<number>): void {
  if (!storesPersonalData()) return
  try {
    if (ids.size === 0) localStorage.removeItem(removedStorage())
    else localStorage.setItem(removedStorage(), JSON.stringify([...ids]))
  } catch {
    // Without storage, a removed draft may come back once.
  }
}

/** The time within which the events of a request arrive after its response, in milliseconds. */
const EVENT_DELAY = 60_000

/** Milliseconds for which a request without a response is remembered, since the server may have saved its draft. */
const MAX_AGE = 86_400_000

/**
 * A draft that was sent to the server. `id` is null until the server has responded. `until` is the time at which this
 * record expires, in UNIX milliseconds.
 */
type SentDraft = { readonly key: string; readonly id: number | null; readonly until: number }

const underWayStorage = () => `parley.kept.${currentOrganization()?.user_id ?? 0}.drafts-under-way`

/** Returns the key of the draft if this browser has recently sent it to the server in this form; null otherwise. */
function keyUnderWay(draft: ServerDraft): string | null {
  const sent = read()[formOf(draft)]
  return sent !== undefined && (sent.id === null || sent.id === draft.id) ? sent.key : null
}

/** Returns whether this browser has recently saved the draft with this key under this id. */
const isSavedHere = (key: string, id: number): boolean =>
  Object.values(read()).some((sent) => sent.key === key && sent.id === id)

/** Records that a draft is being sent. The record survives a reload, and other tabs read it, too. */
const noteUnderWay = (key: string, draft: NewDraft, id: number | null): void =>
  writeUnderWay(draft, { key, id }, MAX_AGE)

/** Records the id that the server has given to a draft. */
const noteSaved = (key: string, draft: NewDraft, id: number): void => writeUnderWay(draft, { key, id }, EVENT_DELAY)

/**
 * Returns a string that identifies a draft. It is the same for the request and for the response, in which the server
 * has trimmed the fields. The time distinguishes equal drafts of two devices.
 */
const formOf = (draft: NewDraft): string =>
  JSON.stringify([recipientsForm(draft), draft.content.trim(), draft.timestamp])

/** Returns the records of sent drafts that have not expired, by the string that identifies the draft (`formOf`). */
function read(): Record<string, SentDraft> {
  try {
    const all = JSON.parse(localStorage.getItem(underWayStorage()) ?? '{}') as Record<string, SentDraft>
    return Object.fromEntries(Object.entries(all).filter(([, { until }]) => until > Date.now()))
  } catch {
    return {}
  }
}

function writeUnderWay(draft: NewDraft, sent: Omit<SentDraft, 'until'>, time: number): void {
  if (!storesPersonalData()) return
  try {
    const all = { ...read(), [formOf(draft)]: { ...sent, until: Date.now() + time } }
    localStorage.setItem(underWayStorage(), JSON.stringify(all))
  } catch {
    // Without storage, a sent draft may come back after a reload.
  }
}

/** The time without a change after which a draft is sent to the server, in milliseconds. */
const REST = 1500

/** The name of the lock. Only the tab with the lock synchronizes drafts. */
const LOCK = 'parley.drafts'

/**
 * The text of drafts from other devices that differs from unsaved text in this browser, by the key of the draft. The
 * user chooses between the two texts.
 */
export const draftConflicts = createAtom<ReadonlyMap<string, string>>(new Map())

const timers = new Map<string, ReturnType<typeof setTimeout>>()

const isOn = () => currentOrganization()?.user_settings.enable_drafts_synchronization === true

/** Synchronizes the drafts of this browser with those of the server. Returns a function that stops this. */
export function startDraftSync(): () => void {
  const stopWritten = onDraftWritten((key, removedId) => {
    if (removedId !== undefined) noteRemoval(removedId)
    clearTimeout(timers.get(key))
    timers.set(
      key,
      setTimeout(() => void push(key), REST),
    )
  })
  const pushAll = () => {
    if (isOn() && removedIds().size > 0) void inTurn(deleteRemoved)
    for (const key of draftKeysOf(currentOrganization()?.user_id ?? 0)) void push(key)
  }
  const stopRestored = onRestored(pushAll)
  const hurry = () => document.visibilityState === 'hidden' && pushAll()
  document.addEventListener('visibilitychange', hurry)
  pushAll()
  return () => {
    stopWritten()
    stopRestored()
    document.removeEventListener('visibilitychange', hurry)
    for (const timer of timers.values()) clearTimeout(timer)
  }
}

/** After registering, replaces the drafts of this browser with those of the server. */
export function reconcileDrafts(ownId: number, drafts: readonly ServerDraft[]): void {
  if (!isOn()) return
  const gone = removedIds()
  const ids = new Set(drafts.map(({ id }) => id))
  for (const key of draftKeysOf(ownId)) {
    const draft = readStoredDraft(key)
    if (draft.serverId === undefined || ids.has(draft.serverId)) continue
    if (draft.text === draft.syncedText) replaceDraft(key, {})
    else storeDraft(key, withoutSync(draft))
  }
  // Compose boxes that have no draft show the newest one.
  const newestFirst = drafts.toSorted((one, other) => other.timestamp - one.timestamp)
  for (const draft of newestFirst) if (!gone.has(draft.id)) takeDraft(ownId, draft)
}

/** Applies a draft that the server has added or changed, after a change here or on another device. */
export function takeDraft(ownId: number, remote: ServerDraft): void {
  if (!isOn() || removedIds().has(remote.id)) return
  const sentKey = keyUnderWay(remote)
  const knownKey = draftKeysOf(ownId).find((one) => readStoredDraft(one).serverId === remote.id)
  const key = knownKey ?? sentKey ?? keyOfServerDraft(ownId, remote)
  const known = readStoredDraft(key)
  const { text = '' } = known
  if (sentKey === key && text === '') {
    // The draft was sent or deleted before the server had saved it.
    noteSaved(key, remote, remote.id)
    removeFromServer(remote.id)
  } else if (isSameText(text, remote.content) && isOther(known.serverId, remote.id)) {
    // The response to the first request was lost.
    storeDraft(key, { ...known, syncedText: text, serverId: Math.max(known.serverId, remote.id) })
    removeFromServer(Math.min(known.serverId, remote.id))
  } else if (sentKey === key) {
    const syncedText = isSameText(text, remote.content) ? text : remote.content
    noteSaved(key, remote, remote.id)
    storeDraft(key, { ...known, serverId: remote.id, syncedText, syncedTo: recipientsForm(remote) })
  } else if (isSameText(text, remote.content)) {
    const taken = { ...takeRecipients(ownId, key, known, remote), serverId: remote.id, syncedText: text }
    if (formOfRecipients(key, taken) === formOfRecipients(key, known)) storeDraft(key, taken)
    else replaceDraft(key, taken)
  } else if (text !== '' && known.serverId !== remote.id) {
    // The conversation has another draft, which stays.
    takeText(ownId, furtherDraftKey(ownId, remote.id), {}, remote)
  } else if (text === '' || text === known.syncedText) {
    takeText(ownId, key, known, remote)
  } else if (!isSameText(known.syncedText, remote.content)) {
    draftConflicts.set(new Map(draftConflicts.get()).set(key, remote.content))
  }
}

function takeText(ownId: number, key: string, known: StoredDraft, remote: ServerDraft): void {
  const taken = takeRecipients(ownId, key, known, remote)
  const { id: serverId, content, timestamp: changedAt } = remote
  replaceDraft(key, { ...taken, text: content, serverId, syncedText: content, changedAt })
}

/** Returns the draft with the recipients of the server's version, unless they were changed here since the last sync. */
function takeRecipients(ownId: number, key: string, known: StoredDraft, remote: ServerDraft): StoredDraft {
  const own = formOfRecipients(key, known)
  const given = recipientsForm(remote)
  if (own === given || (known.text && known.syncedTo !== own)) return { ...known, syncedTo: given }
  const { channelId: _, topic: __, people: ___, ...rest } = known
  const taken = { ...rest, ...recipientsOf(ownId, remote) }
  // The draft of a direct conversation keeps the recipients of its key.
  return { ...taken, syncedTo: formOfRecipients(key, taken) }
}

const formOfRecipients = (key: string, draft: StoredDraft) => recipientsForm(toServerDraft(key, draft, 0))

const isSynced = (key: string, stored: StoredDraft) =>
  stored.text === stored.syncedText && stored.syncedTo === formOfRecipients(key, stored)

/** Removes a draft that another device has deleted or sent, unless the text was changed here since then. */
export function dropDraft(ownId: number, id: number): void {
  forgetRemoval(id)
  const key = draftKeysOf(ownId).find((one) => readStoredDraft(one).serverId === id)
  if (key === undefined) return
  const draft = readStoredDraft(key)
  if (draft.text === draft.syncedText) replaceDraft(key, {})
  else storeDraft(key, withoutSync(draft))
}

/** Resolves a conflict. Keeps the text of this browser if `keepsOwn`; otherwise takes the text of the other device. */
export function settleConflict(key: string, keepsOwn: boolean): void {
  const conflicts = new Map(draftConflicts.get())
  const text = conflicts.get(key)
  conflicts.delete(key)
  draftConflicts.set(conflicts)
  if (text === undefined) return
  if (keepsOwn) void push(key)
  else replaceDraft(key, { ...readStoredDraft(key), text, syncedText: text })
}

/** Returns true if the server would store the same text for both. The server removes white space around text. */
const isSameText = (one: string | undefined, other: string) => one?.trim() === other.trim()

const isOther = (known: number | undefined, id: number): known is number => known !== undefined && known !== id

/** Runs the work when no other tab synchronizes drafts. */
const inTurn = (work: () => Promise<void>): Promise<void> => (hasLocks() ? navigator.locks.request(LOCK, work) : work())

function removeFromServer(id: number): void {
  noteRemoval(id)
  void inTurn(deleteRemoved)
}

/**
 * Saves a draft or its removal on the server. A failed call is repeated after the next change, or when the connection
 * is back.
 */
async function push(key: string): Promise<void> {
  if (!isOn() || draftConflicts.get().has(key)) return
  await inTurn(async () => {
    await deleteRemoved()
    const stored = readStoredDraft(key)
    if (!stored.text?.trim() || isSynced(key, stored)) return
    await saveOnServer(key, stored).catch(() => {
      // The draft stays in this browser.
    })
  })
}

async function saveOnServer(key: string, stored: StoredDraft): Promise<void> {
  const draft = toServerDraft(key, stored, Date.now() / 1000)
  // The server would truncate the draft, which would come back as if another device had changed it.
  if (isTopicTooLong(draft.topic) || isMessageTooLong(draft.content)) return
  noteUnderWay(key, draft, stored.serverId ?? null)
  let id = stored.serverId
  if (id !== undefined) {
    const isThere = await call('PATCH /drafts/{draft_id}', { draft_id: id, draft }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof ApiError && error.status === 404) return false
        throw error
      },
    )
    if (!isThere) id = undefined
  }
  id ??= (await call('POST /drafts', { drafts: [draft] })).ids[0]
  if (id === undefined) return
  noteSaved(key, draft, id)
  const now = readStoredDraft(key)
  if (now.text) {
    storeDraft(key, { ...now, serverId: id, syncedText: draft.content, syncedTo: recipientsForm(draft) })
    if (!isOther(now.serverId, id) || !isSavedHere(key, now.serverId)) return
    // The response to an earlier request was lost, and the event of its draft arrived during this request.
    noteRemoval(now.serverId)
  } else noteRemoval(id)
  await deleteRemoved()
}

async function deleteRemoved(): Promise<void> {
  for (const id of removedIds()) {
    const error: unknown = await call('DELETE /drafts/{draft_id}', { draft_id: id }).then(
      () => null,
      (reason: unknown) => reason,
    )
    if (error === null || (error instanceof ApiError && error.status === 404)) forgetRemoval(id)
  }
}
