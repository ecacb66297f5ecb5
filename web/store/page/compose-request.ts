import { useEffect, useRef } from 'react'

/** What somebody wants to write, as something else on the page asks for it. */
export type ComposeRequest = {
  /** Stands behind what is written already; empty to leave that as it is. */
  readonly text: string
  /** Where it belongs: a topic of a channel, or people. */
  readonly conversation: { readonly channelId: number; readonly topic: string } | { readonly people: readonly number[] }
}

type Taker = (request: ComposeRequest) => boolean

const handlers = new Set<Taker>()

/** Hands the wish to the composer on the page; false when none takes it. */
export const requestCompose = (request: ComposeRequest): boolean => [...handlers].some((take) => take(request))

/** Hears what is wished of the composer; `take` says whether it was its to take. */
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

/** The text with what is wished behind it, in a paragraph of its own. */
export const withRequestedText = (text: string, wished: string): string =>
  wished === '' || text.trim() === '' ? wished || text : `${text.trimEnd()}\n\n${wished}`
