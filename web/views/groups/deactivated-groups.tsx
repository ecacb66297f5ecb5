import { useMutation, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call } from '../../api/call.ts'
import { toAppError } from '../../store/app-error.ts'
import { type Group, useOrganization } from '../../store/organization.ts'
import { DEACTIVATED_GROUPS_KEY, refreshDeactivatedGroups } from '../../store/people/deactivated-groups.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { showToast } from '../../ui/feedback/toasts.ts'
import { SettingsGroup } from '../settings/rows/settings-group.tsx'
import { mayManage } from './rights.ts'

/** Deactivated groups that the user may reactivate. */
export function DeactivatedGroups(): ReactNode {
  const organization = useOrganization()
  const { data = [] } = useQuery({
    queryKey: DEACTIVATED_GROUPS_KEY,
    queryFn: async ({ signal }) =>
      (await call('GET /user_groups', { include_deactivated_groups: true }, { signal })).user_groups.filter(
        ({ deactivated }) => deactivated,
      ),
  })
  const { mutate, isPending, variables } = useMutation({
    mutationFn: ({ id }: Group) =>
      call('PATCH /user_groups/{user_group_id}', { user_group_id: id, deactivated: false }),
    onSuccess: (_, { name }) => showToast(t('{name} reactivated', { name })),
    onError: (error, { name }) =>
      showToast(t('Couldn’t reactivate {name}. {message}', { name, message: toAppError(error).message }), {
        kind: 'error',
      }),
    onSettled: refreshDeactivatedGroups,
  })
  const own = data.filter((group) => mayManage(organization, group))
  if (own.length === 0) return null
  return (
    <SettingsGroup title={t('Deactivated')}>
      <p className="soft small">{t('Deactivated groups keep their members.')}</p>
      <ul className="group-members" aria-label={t('Deactivated groups')}>
        {own.map((group) => (
          <li key={group.id}>
            <span className="group-member-name">{group.name}</span>
            <Button
              aria-label={t('Reactivate {name}', { name: group.name })}
              isPending={isPending && variables.id === group.id}
              onPress={() => !isPending && mutate(group)}
            >
              {t('Reactivate')}
            </Button>
          </li>
        ))}
      </ul>
    </SettingsGroup>
  )
}
