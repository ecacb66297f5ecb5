import { useNavigate } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { consumeJoined, readTour, writeTour } from '../../store/browser/tour.ts'
import { loadPart } from '../../store/load-part.ts'
import { useOrganization } from '../../store/organization.ts'
import { sortedChannels } from '../../views/channel/channels.ts'

const Tour = lazy(() => loadPart(() => import('./tour.tsx')).catch(() => ({ default: () => null })))

/** Opens the first channel for a new user, and shows the tour once. */
export function Welcome(): ReactNode {
  const { user_id, subscriptions } = useOrganization()
  const navigate = useNavigate()
  const [isOn, turn] = useState(() => readTour(user_id) === 'begun')
  const first = sortedChannels(subscriptions)[0]

  useEffect(() => {
    if (!consumeJoined() || readTour(user_id) !== null) return
    writeTour(user_id, 'begun')
    turn(true)
    if (first === undefined) return
    void navigate({ to: '/channels/$channelId', params: { channelId: String(first.stream_id) }, replace: true })
  }, [user_id, first, navigate])

  function end() {
    writeTour(user_id, 'done')
    turn(false)
  }

  if (!isOn) return null
  return (
    <Suspense fallback={null}>
      <Tour onEnd={end} />
    </Suspense>
  )
}
