import { useEffect, useRef } from 'react'
import { createStore } from '../../ui/create-store.ts'

/** The channel in which a new topic should be started; null if none is requested. */
export const requestedTopic = createStore<number | null>(null)

/** Calls `start` when a new topic is requested in the channel. */
export function useRequestedTopic(channelId: number | null, start: () => void): void {
  const latest = useRef(start)
  useEffect(() => {
    latest.current = start
  })
  const isRequested = requestedTopic.usePart((id) => id !== null && id === channelId)
  useEffect(() => {
    if (!isRequested) return
    requestedTopic.set(null)
    latest.current()
  }, [isRequested])
}
