import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { isOwner } from '#rules/role.ts'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import { findOwnAccount, type Person, useOrganization } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { showToast } from '../../../ui/feedback/toasts.ts'

/** Logs another person out of all browsers and apps, for example because a device was lost. */
export function ManagedAccess({ person }: { person: Person }): ReactNode {
  const { user_id, full_name: name } = person
  const own = findOwnAccount(useOrganization())
  const [isAsking, ask] = useState(false)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('DELETE /users/{user_id}/sessions', { user_id }),
    onSuccess: () => {
      ask(false)
      showToast(t('{name} was logged out everywhere.', { name }))
    },
  })
  if (own === undefined || user_id === own.user_id || !person.is_active) return null
  if (isOwner(person) && !isOwner(own)) return null
  return (
    <section className="stack" aria-label={t('Access')}>
      <h3>{t('Access')}</h3>
      {error !== null && <ErrorNotice error={toAppError(error)} />}
      {isAsking ? (
        <>
          <p>
            {t('{name} will be logged out of all browsers and apps, and must log in again with the password.', {
              name,
            })}
          </p>
          <div className="row">
            <Button kind="danger" autoFocus isPending={isPending} onPress={() => mutate()}>
              {t('Log out')}
            </Button>
            <Button onPress={() => ask(false)}>{t('Cancel')}</Button>
          </div>
        </>
      ) : (
        <div className="row">
          <Button onPress={() => ask(true)}>{t('Log out everywhere…')}</Button>
        </div>
      )}
    </section>
  )
}
