import { useEffect, useMemo } from 'react'
import { call } from '../../../api/call.ts'
import { useOrganization } from '../../../store/organization.ts'
import { type TypingNotices, type TypingTarget, typingNotices } from './typing-notices.ts'

/** Reports typing if the user's settings allow it; stops on unmount. */
export function useTypingNotices(): TypingNotices {
  const {
    user_settings: settings,
    server_typing_started_wait_period_milliseconds: resendAfter,
    server_typing_stopped_wait_period_milliseconds: stopAfter,
  } = useOrganization()
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
