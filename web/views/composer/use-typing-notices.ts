import { useEffect, useMemo } from 'react'
import { call } from '../../api/call.ts'
import { useOrganization } from '../../store/organization.ts'
import { type TypingNotices, type TypingPlace, typingNotices } from './typing-notices.ts'

/** Tells others that one types, where one wants them to know; ends with whatever uses it. */
export function useTypingNotices(): TypingNotices {
  const {
    user_settings: settings,
    server_typing_started_wait_period_milliseconds: again,
    server_typing_stopped_wait_period_milliseconds: rest,
  } = useOrganization()
  const notices = useMemo(() => typingNotices({ send, again, rest }), [again, rest])
  useEffect(() => notices.stop, [notices])
  const tells = (place: TypingPlace) =>
    place.type === 'direct' || (place.type === 'edit' && place.isDirect)
      ? settings.send_private_typing_notifications
      : settings.send_stream_typing_notifications
  return {
    type: (place) => notices.type(place !== null && tells(place) ? place : null),
    stop: notices.stop,
  }
}

/** Whoever does not hear it is told by the next one, or forgets by themselves. */
function send(op: 'start' | 'stop', place: TypingPlace): void {
  const told =
    place.type === 'edit'
      ? call('POST /messages/{message_id}/typing', { op, message_id: place.message_id })
      : call('POST /typing', { op, ...place })
  told.catch(() => {})
}
