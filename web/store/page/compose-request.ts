import { useEffect, useRef } from 'react'

/** A request of another part of the page to start a message. */
export type ComposeRequest = {
  /** Text that is appended to the draft; empty for none. */
  readonly text: string
  /** The conversation to write to. */
  readonly conversation: { readonly channelId: number; readonly topic: string } | { readonly people: readonly number[] }
}

type Taker = (request: ComposeRequest) => boolean

const handlers = new Set<Taker>()

/** Passes the request to the compose box on the page; returns false if none handles it. */
export const requestCompose = (request: ComposeRequest): boolean => [...handlers].some((take) => take(request))

/** Handles requests in a compose box; `take` returns true if the request is for this one. */
export function useComposeRequests(take: Taker): void {
  const latest = useRef(take)
  useEffect(() => {
    latest.current = take
  })
  useEffect(() => {
    const handler: Taker = (request) => latest.current(request)
    handlers.add(handler)
    return () => void handlers.delete(handler)
  }, [])
}

/** Returns the draft with the requested text appended as a paragraph. */
export const withRequestedText = (text: string, wished: string): string =>
  wished === '' || text.trim() === '' ? wished || text : `${text.trimEnd()}\n\n${wished}`
