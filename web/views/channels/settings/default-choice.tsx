import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import { type Channel, useOrganization } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { showToast } from '../../../ui/feedback/toasts.ts'
import { CheckboxField } from '../../../ui/fields/checkbox-field.tsx'
import { SettingsGroup } from '../../settings/rows/settings-group.tsx'

/** The setting that makes the channel a default channel for new users. */
export function DefaultChoice({ channel: { stream_id, name } }: { channel: Channel }): ReactNode {
  const { realm_default_streams, realm_name } = useOrganization()
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (isOn: boolean) =>
      isOn ? call('POST /default_streams', { stream_id }) : call('DELETE /default_streams', { stream_id }),
    onSuccess: (_, isOn) =>
      showToast(
        isOn
          ? t('New users are now added to #{name}', { name })
          : t('New users are no longer added to #{name}', { name }),
      ),
    onError: (error) =>
      showToast(t('Couldn’t save the change. {message}', { message: toAppError(error).message }), { kind: 'error' }),
  })
  const isDefault = realm_default_streams.includes(stream_id)
  return (
    <SettingsGroup title={t('New users')}>
      <CheckboxField isSelected={isPending ? variables : isDefault} onChange={(isOn) => !isPending && mutate(isOn)}>
        {t('Add everyone who joins {organization} from now on', { organization: realm_name })}
      </CheckboxField>
    </SettingsGroup>
  )
}
