import { useEffect } from 'react'
import { refreshTimelines } from '../../store/messages/messages.ts'
import type { Narrow } from '../../store/messages/narrow.ts'
import { refreshTopics } from '../../store/messages/topics.ts'

/** The interval at which messages are reloaded while the window is visible, in milliseconds. */
const PERIOD = 60_000

/**
 * Reloads the messages and topics of a channel every minute, when the window gets the focus, and when the user leaves
 * the page. The server sends no events about channels that the user is not subscribed to.
 */
export function useReloadedChannel(channelId: number): void {
  useEffect(() => {
    const isHere = (narrow: Narrow) =>
      (narrow.kind === 'channel' || narrow.kind === 'topic') && narrow.channelId === channelId
    const reload = () => {
      refreshTimelines(isHere)
      refreshTopics([channelId])
    }
    const reloadIfVisible = () => document.visibilityState === 'visible' && reload()
    const timer = setInterval(reloadIfVisible, PERIOD)
    addEventListener('focus', reloadIfVisible)
    return () => {
      clearInterval(timer)
      removeEventListener('focus', reloadIfVisible)
      reload()
    }
  }, [channelId])
}
