import { call } from '../../api/call.ts'
import { toAppError } from '../../store/app-error.ts'
import type { Person } from '../../store/organization.ts'
import { toast } from '../../ui/feedback/toast.ts'
import { carryOut } from '../invitations/carry-out.ts'

/** Lets deactivated accounts be used again, and says of which that did not succeed. */
export async function bringBack(people: readonly Person[]): Promise<void> {
  const ended = people.filter(({ is_active }) => !is_active)
  const failures = await carryOut(ended, ({ user_id }) => call('POST /users/{user_id}/reactivate', { user_id }))
  for (const { item, error } of failures)
    toast(`${item.full_name} was not brought back. ${toAppError(error).message}`, { kind: 'error' })
  const count = ended.length - failures.length
  if (count > 0)
    toast(count === 1 && ended.length === 1 ? `${ended[0]?.full_name} is back` : `${count} accounts are back`)
}
