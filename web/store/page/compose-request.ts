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
let waiting: ComposeRequest | null = null

/** True if the focus stays where it is when the next page opens, for example because its compose box has got it. */
let hasFocusOfPage = false

/** Notes that the focus is in a compose box of a new page, or in another field that the new page leaves alone. */
export function noteComposeFocus(): void {
  hasFocusOfPage = true
}

/** Returns true once if the focus stays where it is although a new page opens. */
export function consumeComposeFocus(): boolean {
  const had = hasFocusOfPage
  hasFocusOfPage = false
  return had
}

/** Passes the request to the compose box on the page. Returns false if no compose box handles it. */
export function requestCompose(request: ComposeRequest): boolean {
  waiting = null
  return [...handlers].some((take) => take(request))
}

/** Passes the request to the compose box of the page that opens next. */
export function requestComposeOnNextPage(request: ComposeRequest): void {
  waiting = request
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
    if (waiting !== null && handler(waiting)) {
      waiting = null
      // The user may not be allowed to write there.
      hasFocusOfPage = document.activeElement?.matches('textarea') === true
    }
    return () => void handlers.delete(handler)
  }, [])
}

/** Returns the draft with the requested text appended as a paragraph. */
export const withRequestedText = (text: string, requested: string): string =>
  requested === '' || text.trim() === '' ? requested || text : `${text.trimEnd()}\n\n${requested}`
