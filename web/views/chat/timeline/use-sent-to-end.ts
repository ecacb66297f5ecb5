import { useEffect, useRef } from 'react'
import type { OutgoingMessage } from '../../../store/outgoing/outgoing.ts'
import { useVisitRef, type Visit } from './use-visit.ts'

/** Shows the end of the timeline when the user sends a message to it. */
export function useSentToEnd(visit: Visit, outgoing: readonly OutgoingMessage[], goToEnd: () => void): void {
  const latest = outgoing.at(-1)?.writtenAt ?? 0
  // Messages that were sent before the timeline was opened do not scroll it.
  const known = useVisitRef(visit, latest)
  const go = useRef(goToEnd)
  useEffect(() => {
    go.current = goToEnd
  })
  useEffect(() => {
    if (latest > known.current) go.current()
    known.current = Math.max(known.current, latest)
  }, [latest, known])
}
