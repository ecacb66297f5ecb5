/**
 * The recipients of the message that the user is typing, in the form that `POST /typing` expects, or the message that
 * they are editing.
 */
export type TypingTarget =
  | { readonly type: 'edit'; readonly message_id: number; readonly isDirect: boolean }
  | { readonly type: 'direct'; readonly to: number[] }
  | { readonly type: 'channel'; readonly stream_id: number; readonly topic: string }

export type TypingNotices = {
  /** Reports a keystroke for this target. Null reports the end of typing for the previous target. */
  type(conversation: TypingTarget | null): void
  /** Reports that the user has stopped typing. */
  stop(): void
}

type Options = {
  send: (op: 'start' | 'stop', target: TypingTarget) => void
  /** Milliseconds after which typing is reported again. */
  resendAfter: number
  /** Milliseconds without a keystroke after which typing has stopped. */
  stopAfter: number
  now?: () => number
}

/** Reports when the user starts to type, continues to type, and stops. A pause also counts as stopping. */
export function typingNotices({ send, resendAfter, stopAfter, now = () => performance.now() }: Options): TypingNotices {
  let reported: { target: TypingTarget; at: number } | null = null
  let pause: ReturnType<typeof setTimeout> | undefined

  function stop(): void {
    clearTimeout(pause)
    if (reported !== null) send('stop', reported.target)
    reported = null
  }

  return {
    type(conversation) {
      if (reported !== null && !isSame(reported.target, conversation)) stop()
      if (conversation === null) return
      if (reported === null || now() - reported.at >= resendAfter) {
        reported = { target: conversation, at: now() }
        send('start', conversation)
      }
      clearTimeout(pause)
      pause = setTimeout(stop, stopAfter)
    },
    stop,
  }
}

const isSame = (one: TypingTarget, other: TypingTarget | null) => JSON.stringify(one) === JSON.stringify(other)
