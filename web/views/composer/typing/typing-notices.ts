/** The target of typing as `POST /typing` takes it, or a message that is being edited. */
export type TypingTarget =
  | { readonly type: 'edit'; readonly message_id: number; readonly isDirect: boolean }
  | { readonly type: 'direct'; readonly to: number[] }
  | { readonly type: 'channel'; readonly stream_id: number; readonly topic: string }

export type TypingNotices = {
  /** Reports a keystroke for this target; null reports nothing. */
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

/** Reports typing: its start, its continuation, and its end, even after a pause. */
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
