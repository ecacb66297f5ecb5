import { useNavigate } from '@tanstack/react-router'
import { requestedTopic } from '../../store/page/new-topic.ts'
import { toLocation } from './to-location.ts'

/** Returns a function that opens a channel with the compose box ready for a new topic. */
export function useStartTopic(): (channelId: number) => void {
  const navigate = useNavigate()
  return (channelId) => {
    requestedTopic.set(channelId)
    void navigate(toLocation({ kind: 'channel', channelId }))
  }
}
