import type { Person } from '../../store/organization.ts'

/** The column and direction of the sort order. */
export type PeopleOrder = { by: 'name' | 'role'; isReversed: boolean }

const byName = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true })

/** The rank of bots. It is higher than the rank of any role, so bots come last. */
const BOTS = 1000

const rankOf = ({ role, is_bot }: Person): number => (is_bot ? BOTS : role)

/**
 * Sorts people by name, or by role and then by name. The most powerful role comes first, and bots come last.
 * `isReversed` reverses the order of names, or else of roles.
 */
export function sortPeople(people: readonly Person[], { by, isReversed }: PeopleOrder): Person[] {
  const direction = isReversed ? -1 : 1
  return people.toSorted((one, other) => {
    const names = byName.compare(one.full_name, other.full_name)
    return by === 'name' ? direction * names : direction * (rankOf(one) - rankOf(other)) || names
  })
}

/**
 * Returns the order after a click on a column header. It sorts by that column, or reverses the order if people are
 * already sorted by it.
 */
export const orderAfter = (present: PeopleOrder, by: PeopleOrder['by']): PeopleOrder => ({
  by,
  isReversed: present.by === by && !present.isReversed,
})
