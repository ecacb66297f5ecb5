import { createAtom, useSelector } from '@tanstack/react-store'
import { useEffect, useRef } from 'react'

/** A request to start a message, from another part of the page. */
export type ComposeRequest = {
  /** The text that is appended to the draft; empty if there is none. */
  readonly text: string
  /** True if the text can become part of a message to other recipients that the user is writing. */
  readonly isQuote?: boolean
  /** True if the compose box only gets the focus, and keeps its text and recipients. */
  readonly isFocusOnly?: boolean
  /** The conversation to write to. Only a request for the focus can name a channel without a topic. */
  readonly conversation:
    | { readonly channelId: number; readonly topic?: string }
    | { readonly people: readonly number[] }
}

type Taker = (request: ComposeRequest) => boolean

const handlers = new Set<Taker>()

/** The request for the compose box of the next page. */
const waiting = createAtom<ComposeRequest | null>(null)

/** True if the focus stays where it is when the next page opens, for example because its compose box has got it. */
const hasFocusOfPage = createAtom(false)

/** Notes that the focus is in a compose box of a new page, or in another field that the new page leaves alone. */
export function noteComposeFocus(): void {
  hasFocusOfPage.set(true)
}

/** Returns true once if the focus stays where it is although a new page opens. */
export function consumeComposeFocus(): boolean {
  const had = hasFocusOfPage.get()
  hasFocusOfPage.set(false)
  return had
}

/** Passes the request to the compose box on the page. Returns false if no compose box handles it. */
export function requestCompose(request: ComposeRequest): boolean {
  waiting.set(null)
  return [...handlers].some((take) => take(request))
}

/** Passes the request to the compose box of the page that opens next. */
export function requestComposeOnNextPage(request: ComposeRequest): void {
  waiting.set(request)
}

/** Handles requests in a compose box. `take` returns true if the request is for this compose box. */
export function useComposeRequests(take: Taker): void {
  const latest = useRef(take)
  useEffect(() => {
    latest.current = take
  })
  useEffect(() => {
    const handler: Taker = (request) => latest.current(request)
    handlers.add(handler)
    const request = waiting.get()
    if (request !== null && handler(request)) {
      waiting.set(null)
      // The user may not be allowed to write there.
      hasFocusOfPage.set(document.activeElement?.matches('textarea') === true)
    }
    return () => void handlers.delete(handler)
  }, [])
}

/** Returns the draft with the requested text appended as a paragraph. */
export const withRequestedText = (text: string, requested: string): string =>
  requested === '' || text.trim() === '' ? requested || text : `${text.trimEnd()}\n\n${requested}`

type Inserter = (text: string) => void

const inserters = new Set<Inserter>()

/** Returns true if a compose box on the page can take text. */
export const canInsert = (): boolean => inserters.size > 0

/** Inserts text, such as a mention, at the cursor of the compose box that was opened last. */
export const requestInsertion = (text: string): void => [...inserters].at(-1)?.(text)

/** Handles requests to insert text. `insert` must stay the same between renderings. */
export function useInsertRequests(insert: Inserter): void {
  useEffect(() => {
    inserters.add(insert)
    return () => void inserters.delete(insert)
  }, [insert])
}

/** The channel in which a new topic should be started; null if none is requested. */
export const requestedTopic = createAtom<number | null>(null)

/** Calls `start` when a new topic is requested in the channel. */
export function useRequestedTopic(channelId: number | null, start: () => void): void {
  const latest = useRef(start)
  useEffect(() => {
    latest.current = start
  })
  const isRequested = useSelector(requestedTopic, (id) => id !== null && id === channelId)
  useEffect(() => {
    if (!isRequested) return
    requestedTopic.set(null)
    latest.current()
  }, [isRequested])
}

/** The beginning of the names under which unsaved edits are stored. */
export const EDIT_PREFIX = 'edit.'

/** Functions that open the edit form of a message on the page, by message id. */
const editors = new Map<number, () => void>()

/** Opens the edit form of a message. Returns false if the message is not on the page. */
export function requestEdit(messageId: number): boolean {
  const open = editors.get(messageId)
  open?.()
  return open !== undefined
}

type Selection = readonly [from: number, to: number]

/** The edit that continues on the next page. */
const waitingEdit = createAtom<{ readonly messageId: number; readonly selection: Selection } | null>(null)

/** Opens the edit form of a message on the page that opens next, with the same selected text. */
export function continueEditOnNextPage(messageId: number, selection: Selection): void {
  waitingEdit.set({ messageId, selection })
}

/** Returns the selection once if the edit of the message continues on this page. */
export function consumeEditSelection(messageId: number): Selection | null {
  const edit = waitingEdit.get()
  if (edit?.messageId !== messageId) return null
  waitingEdit.set(null)
  return edit.selection
}

/** Handles requests to edit the message. */
export function useEditRequest(messageId: number, open: () => void): void {
  const latest = useRef(open)
  useEffect(() => {
    latest.current = open
  })
  useEffect(() => {
    const handler = () => latest.current()
    editors.set(messageId, handler)
    if (waitingEdit.get()?.messageId === messageId) handler()
    return () => {
      if (editors.get(messageId) === handler) editors.delete(messageId)
    }
  }, [messageId])
}
