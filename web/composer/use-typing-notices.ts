import { useEffect, useMemo } from 'react'
import { call } from '../api/call.ts'
import { useOrganization } from '../store/organization.ts'
import { t } from '../text/t.ts'

/**
 * The recipients of the message that the user is typing, in the form that `POST /typing` expects, or the message that
 * they are editing.
 */
export type TypingTarget =
  | { readonly type: 'edit'; readonly message_id: number; readonly isDirect: boolean }
  | { readonly type: 'direct'; readonly to: number[] }
  | { readonly type: 'channel'; readonly stream_id: number; readonly topic: string }

type TypingNotices = {
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

/** Reports typing if the user's settings allow it; stops on unmount. */
export function useTypingNotices(): TypingNotices {
  const {
    user_settings: settings,
    server_typing_started_wait_period_milliseconds: resendAfter,
    server_typing_stopped_wait_period_milliseconds: stopAfter,
  } = useOrganization(
    'user_settings',
    'server_typing_started_wait_period_milliseconds',
    'server_typing_stopped_wait_period_milliseconds',
  )
  const notices = useMemo(() => typingNotices({ send, resendAfter, stopAfter }), [resendAfter, stopAfter])
  useEffect(() => notices.stop, [notices])
  const isShared = (conversation: TypingTarget) =>
    conversation.type === 'direct' || (conversation.type === 'edit' && conversation.isDirect)
      ? settings.send_private_typing_notifications
      : settings.send_stream_typing_notifications
  return {
    type: (target) => notices.type(target !== null && isShared(target) ? target : null),
    stop: notices.stop,
  }
}

/** Sends a report and ignores failures: another report follows, and typing expires by itself. */
function send(op: 'start' | 'stop', conversation: TypingTarget): void {
  const report =
    conversation.type === 'edit'
      ? call('POST /messages/{message_id}/typing', { op, message_id: conversation.message_id })
      : call('POST /typing', { op, ...conversation })
  report.catch(() => {})
}

/** Returns a sentence about the users who are typing. It names them if there are one or two. */
export function typingText([first = '', second, ...others]: readonly string[]): string {
  if (second === undefined) return t('{first} is typing…', { first })
  return others.length === 0
    ? t('{first} and {second} are typing…', { first, second })
    : t('Several people are typing…')
}
