import { useMutation } from '@tanstack/react-query'
import UserX from 'lucide-react/icons/user-x'
import type { ReactNode } from 'react'
import { call } from '../../api/call.ts'
import * as settingsCss from '../../forms/settings.module.css'
import { toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { peopleFinder, unknownName } from '../../store/people.ts'
import { t } from '../../text/t.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/page-states.tsx'
import { Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toasts.ts'
import * as css from '../settings-table.module.css'

/** The list of people the user has muted, with a button to unmute each. */
export function MutedPeople(): ReactNode {
  const organization = useOrganization()
  const { muted_users } = organization
  const find = peopleFinder(organization)
  if (muted_users.length === 0)
    return (
      <Empty icon={<UserX />} title={t('No muted users')}>
        <p>{t('Mute someone from their profile, and they appear here. They won’t be notified.')}</p>
      </Empty>
    )
  return (
    <table className={css.settingsTable}>
      <thead>
        <tr>
          <th scope="col">{t('Name')}</th>
          <th scope="col">{t('Since')}</th>
          <th scope="col">
            <span className="visually-hidden">{t('Actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {muted_users
          .toSorted((one, other) => other.timestamp - one.timestamp)
          .map(({ id, timestamp }) => {
            const person = find(id)
            const name = person?.full_name ?? unknownName()
            return (
              <MutedPerson key={id} id={id} name={name} since={timestamp}>
                <Avatar id={id} name={name} url={person?.avatar_url ?? null} />
              </MutedPerson>
            )
          })}
      </tbody>
    </table>
  )
}

function MutedPerson(props: { id: number; name: string; since: number; children: ReactNode }): ReactNode {
  const { id, name, since, children } = props
  const onError = (error: unknown) => showToast(toAppError(error).message, { kind: 'error' })
  const { mutate, isPending } = useMutation({
    mutationFn: () => call('DELETE /users/me/muted_users/{muted_user_id}', { muted_user_id: id }),
    onSuccess: () =>
      showToast(t('You unmuted {name}', { name }), {
        undo: () => void call('POST /users/me/muted_users/{muted_user_id}', { muted_user_id: id }).catch(onError),
      }),
    onError,
  })
  return (
    <tr>
      <th scope="row">
        <span className="row">
          {children}
          {name}
        </span>
      </th>
      <td className="soft">
        <Time at={since} as="ago" />
      </td>
      <td className={settingsCss.settingsAction}>
        <Button isPending={isPending} aria-label={t('Unmute {name}', { name })} onPress={() => mutate()}>
          {t('Unmute')}
        </Button>
      </td>
    </tr>
  )
}
