import { queryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { queryClient } from './query-client.ts'

/** How often one's presence is told, in milliseconds. */
const REPORT_PERIOD = 60_000

/** Whoever did nothing for so long is idle, in milliseconds. */
const IDLE_AFTER = 300_000

/** What others are answered of one's presence, from the server itself. */
export const presenceAsSeen = queryOptions({
  queryKey: ['presence-as-seen'],
  queryFn: ({ signal }) => call('GET /users/me/presence/as_seen', {}, { signal }),
  refetchInterval: 30_000,
})

/** Tells the server once a minute whether one is there. Returns what ends it. */
export function reportPresence(): () => void {
  let lastInputAt = performance.now()
  const noteInput = () => {
    lastInputAt = performance.now()
  }
  const report = () => {
    const isActive = document.visibilityState === 'visible' && performance.now() - lastInputAt < IDLE_AFTER
    call('POST /users/me/presence', { status: isActive ? 'active' : 'idle', ping_only: true, new_user_input: isActive })
      .then(() => queryClient.invalidateQueries({ queryKey: presenceAsSeen.queryKey }))
      // A report that is lost is made good by the next one.
      .catch(() => {})
  }
  const inputs = ['keydown', 'pointerdown', 'pointermove', 'scroll']
  for (const type of inputs) addEventListener(type, noteInput, { passive: true })
  const timer = setInterval(report, REPORT_PERIOD)
  report()
  return () => {
    clearInterval(timer)
    for (const type of inputs) removeEventListener(type, noteInput)
  }
}
