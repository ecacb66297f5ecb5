/** Where somebody types: what `POST /typing` takes; or the message that they edit. */
export type TypingTarget =
  | { readonly type: 'edit'; readonly message_id: number; readonly isDirect: boolean }
  | { readonly type: 'direct'; readonly to: number[] }
  | { readonly type: 'channel'; readonly stream_id: number; readonly topic: string }

export type TypingNotices = {
  /** A letter was typed that is to go there; null where nobody is to know. */
  type(conversation: TypingTarget | null): void
  /** Nothing more is typed for now. */
  stop(): void
}

type Options = {
  send: (op: 'start' | 'stop', target: TypingTarget) => void
  /** Milliseconds after which it is said again that somebody types. */
  again: number
  /** Milliseconds without a letter after which they have stopped. */
  rest: number
  now?: () => number
}

/** Tells of typing: when it begins, again while it goes on, and when it is over, be it by a pause. */
export function typingNotices({ send, again, rest, now = () => performance.now() }: Options): TypingNotices {
  let events: { place: TypingTarget; at: number } | null = null
  let pause: ReturnType<typeof setTimeout> | undefined

  function stop(): void {
    clearTimeout(pause)
    if (events !== null) send('stop', events.place)
    events = null
  }

  return {
    type(conversation) {
      if (events !== null && !isSame(events.place, conversation)) stop()
      if (conversation === null) return
      if (events === null || now() - events.at >= again) {
        events = { place: conversation, at: now() }
        send('start', conversation)
      }
      clearTimeout(pause)
      pause = setTimeout(stop, rest)
    },
    stop,
  }
}

const isSame = (one: TypingTarget, other: TypingTarget | null) => JSON.stringify(one) === JSON.stringify(other)
