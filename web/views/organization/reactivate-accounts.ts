import { call } from '../../api/call.ts'
import { toAppError } from '../../store/app-error.ts'
import type { Person } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { showToast } from '../../ui/feedback/toasts.ts'
import { runAll } from '../invitations/run-all.ts'

/** Reactivates accounts, and shows the errors of accounts that can't be reactivated. */
export async function reactivateAccounts(people: readonly Person[]): Promise<void> {
  const ended = people.filter(({ is_active }) => !is_active)
  const failures = await runAll(ended, ({ user_id }) => call('POST /users/{user_id}/reactivate', { user_id }))
  for (const { item, error } of failures)
    showToast(
      t('Couldn’t reactivate {name}. {message}', { name: item.full_name, message: toAppError(error).message }),
      { kind: 'error' },
    )
  const count = ended.length - failures.length
  if (count > 0)
    showToast(
      count === 1 && ended.length === 1
        ? t('{name} reactivated', { name: ended[0]?.full_name ?? '' })
        : t('{count, plural, one {# account} other {# accounts}} reactivated', { count }),
    )
}
