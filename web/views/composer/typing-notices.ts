/** Where somebody types: what `POST /typing` takes; or the message that they edit. */
export type TypingPlace =
  | { readonly type: 'edit'; readonly message_id: number; readonly isDirect: boolean }
  | { readonly type: 'direct'; readonly to: number[] }
  | { readonly type: 'channel'; readonly stream_id: number; readonly topic: string }

export type TypingNotices = {
  /** A letter was typed that is to go there; null where nobody is to know. */
  type(place: TypingPlace | null): void
  /** Nothing more is typed for now. */
  stop(): void
}

type Options = {
  send: (op: 'start' | 'stop', place: TypingPlace) => void
  /** Milliseconds after which it is said again that somebody types. */
  again: number
  /** Milliseconds without a letter after which they have stopped. */
  rest: number
  now?: () => number
}

/** Tells of typing: when it begins, again while it goes on, and when it is over, be it by a pause. */
export function typingNotices({ send, again, rest, now = () => performance.now() }: Options): TypingNotices {
  let told: { place: TypingPlace; at: number } | null = null
  let pause: ReturnType<typeof setTimeout> | undefined

  function stop(): void {
    clearTimeout(pause)
    if (told !== null) send('stop', told.place)
    told = null
  }

  return {
    type(place) {
      if (told !== null && !isSame(told.place, place)) stop()
      if (place === null) return
      if (told === null || now() - told.at >= again) {
        told = { place, at: now() }
        send('start', place)
      }
      clearTimeout(pause)
      pause = setTimeout(stop, rest)
    },
    stop,
  }
}

const isSame = (one: TypingPlace, other: TypingPlace | null) => JSON.stringify(one) === JSON.stringify(other)
