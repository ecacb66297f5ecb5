import type { Person } from '../../../store/organization.ts'

/** By which column people stand, and whether from its end. */
export type PeopleOrder = { by: 'name' | 'role'; isReversed: boolean }

const byName = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true })

/** Behind all roles. */
const BOTS = 1000

const rankOf = ({ role, is_bot }: Person): number => (is_bot ? BOTS : role)

/** People by name, or by role with the mightiest first and bots last; those with the same role by name. */
export function sortPeople(people: readonly Person[], { by, isReversed }: PeopleOrder): Person[] {
  const direction = isReversed ? -1 : 1
  return people.toSorted((one, other) => {
    const names = byName.compare(one.full_name, other.full_name)
    return by === 'name' ? direction * names : direction * (rankOf(one) - rankOf(other)) || names
  })
}

/** The order after a press on the head of a column: its own, and the other way round when it was that already. */
export const orderAfter = (present: PeopleOrder, by: PeopleOrder['by']): PeopleOrder => ({
  by,
  isReversed: present.by === by && !present.isReversed,
})
