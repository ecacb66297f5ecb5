import { useMemo } from 'react'
import type { Person } from '../../store/organization.ts'
import { usePresences, type VisiblePresence } from '../../store/people/presences.ts'
import { orderPeople, presenceText, shortPresenceText } from './person-row.ts'
import { useStableOrder } from './use-stable-order.ts'

export type PersonRow = {
  id: number
  person: Person
  /** Null for bots and deactivated accounts, or if the organization disables presence. */
  presence: VisiblePresence | null
  /** The presence as text for screen readers. `short` is the form that is shown. */
  words: string | null
  short: string | null
  now: number
}

/**
 * Returns the rows of people: in the given order if `isOrdered`, otherwise with active people first. The second order
 * changes at most every five seconds, and never while `isHeld`.
 */
export function usePersonRows(
  people: readonly Person[],
  { isHeld, isOrdered }: { isHeld: boolean; isOrdered: boolean },
): PersonRow[] {
  const { find, now } = usePresences()
  const byPresence = useStableOrder(
    useMemo(() => (isOrdered ? [] : orderPeople(people, find)), [isOrdered, people, find]),
    isHeld,
  )
  return useMemo(() => {
    const byId = new Map(people.map((person) => [person.user_id, person]))
    const order = isOrdered ? byId.keys() : byPresence
    return [...order].flatMap((id): PersonRow[] => {
      const person = byId.get(id)
      if (person === undefined) return []
      const presence = person.is_bot || !person.is_active ? null : (find?.(id) ?? null)
      const words = presence && presenceText(presence, now)
      return [{ id, person, presence, now, words, short: presence && shortPresenceText(presence, now) }]
    })
  }, [isOrdered, byPresence, people, find, now])
}
