import { usePeople } from '../../../store/people/people.ts'
import { t } from '../../../text/t.ts'

/** Returns a function that names a user by id. */
export function useNames(): (userId: number) => string {
  const find = usePeople()
  return (userId) => find(userId)?.full_name ?? t('someone')
}
