import { useEffect, useRef } from 'react'

/** What somebody wants to write, as something else on the page asks for it. */
export type Wish = {
  /** Stands behind what is written already; empty to leave that as it is. */
  readonly text: string
  /** Where it belongs: a topic of a channel, or people. */
  readonly place: { readonly channelId: number; readonly topic: string } | { readonly people: readonly number[] }
}

type Taker = (wish: Wish) => boolean

const takers = new Set<Taker>()

/** Hands the wish to the composer on the page; false when none takes it. */
export const askComposer = (wish: Wish): boolean => [...takers].some((take) => take(wish))

/** Hears what is wished of the composer; `take` says whether it was its to take. */
export function useWishes(take: Taker): void {
  const latest = useRef(take)
  useEffect(() => {
    latest.current = take
  })
  useEffect(() => {
    const taker: Taker = (wish) => latest.current(wish)
    takers.add(taker)
    return () => void takers.delete(taker)
  }, [])
}

/** The text with what is wished behind it, in a paragraph of its own. */
export const withWish = (text: string, wished: string): string =>
  wished === '' || text.trim() === '' ? wished || text : `${text.trimEnd()}\n\n${wished}`
