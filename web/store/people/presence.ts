import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { currentOrganization } from '../organization.ts'
import { queryClient } from '../query-client.ts'
import { applyPresences, lastPresenceUpdateId } from './presences.ts'

/** The interval of presence reports, in milliseconds. */
const REPORT_PERIOD = 60_000

/** The time without activity after which the user is idle, in milliseconds. */
const IDLE_AFTER = 300_000

/** The user's own presence as the server reports it to others. */
export const presenceQuery = queryOptions({
  queryKey: ['presence-as-seen'],
  queryFn: ({ signal }) => call('GET /users/me/presence/as_seen', {}, { signal }),
  refetchInterval: 30_000,
})

/**
 * Reports the user's activity to the server once a minute, and updates everyone's presence. If the user hides their
 * availability, a visible page reports no activity, and a page in the background reports nothing. Returns a function
 * that stops this.
 */
export function reportPresence(): () => void {
  let lastInputAt = performance.now()
  const end = new AbortController()
  const { signal } = end
  const noteInput = () => {
    lastInputAt = performance.now()
  }
  const report = () => {
    const isVisible = document.visibilityState === 'visible'
    const shares = sharesPresence()
    if (!isVisible && !shares) return
    const isActive = shares && isVisible && performance.now() - lastInputAt < IDLE_AFTER
    call(
      'POST /users/me/presence',
      { status: isActive ? 'active' : 'idle', new_user_input: isActive, last_update_id: lastPresenceUpdateId() },
      { signal },
    )
      .then((answer) => {
        applyPresences(answer)
        return queryClient.invalidateQueries({ queryKey: presenceQuery.queryKey })
      })
      // The next report makes up for a lost one.
      .catch(() => {})
  }
  // Users who hide their availability receive no presence in the background, and catch up on return.
  const catchUp = () => {
    if (document.visibilityState === 'visible' && !sharesPresence()) report()
  }
  for (const type of ['keydown', 'pointerdown', 'pointermove', 'scroll'])
    addEventListener(type, noteInput, { passive: true, signal })
  document.addEventListener('visibilitychange', catchUp, { signal })
  const timer = setInterval(report, REPORT_PERIOD)
  report()
  return () => {
    clearInterval(timer)
    end.abort()
  }
}

const sharesPresence = (): boolean => currentOrganization()?.user_settings.presence_enabled !== false
