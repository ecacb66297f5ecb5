import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/call.ts'
import { toAppError } from '../../store/app-error.ts'
import { useStoredState } from '../../store/browser/stored-state.ts'
import { fieldErrors } from '../../store/field-errors.ts'
import { type Organization, useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { DialogForm } from '../../ui/dialog/dialog-form.tsx'
import { ErrorNotice } from '../../ui/feedback/error-notice.tsx'
import { showToast } from '../../ui/feedback/toasts.ts'
import { TextField } from '../../ui/fields/field.tsx'
import { membersOfPicked } from '../picking/picked-members.ts'
import { type PickerChoice, pickedAddresses, pickedIds, pickedPeople } from '../picking/picker-choices.ts'
import { PickerField } from '../picking/picker-field.tsx'

type Filled = { name: string; description: string; picks: readonly PickerChoice[] }
type FormErrors = { name?: string; description?: string; picks?: string }

/**
 * The form for a new group. By default, the new group includes the user. The form keeps its content until the group is
 * created or the user cancels.
 */
export function NewGroupDialog({ onClose }: { onClose: () => void }): ReactNode {
  const organization = useOrganization()
  const [filled, fill, forget] = useStoredState<Filled>('groups.new', () => ({
    name: '',
    description: '',
    picks: [`person:${organization.user_id}`],
  }))
  const { name, description, picks } = filled
  const [errors, setErrors] = useState<FormErrors>({})
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: () => createGroup(organization, filled),
    onSuccess() {
      forget()
      showToast(t('{name} created', { name: name.trim() }))
      onClose()
    },
    onError: (failure) => setErrors(fieldErrors(failure, { name: 'name', description: 'description' })),
  })

  function write(change: Partial<Filled>) {
    fill(change)
    setErrors({})
    reset()
  }

  function submit() {
    const found = findErrors(filled)
    setErrors(found)
    if (Object.keys(found).length === 0) mutate()
  }

  function cancel() {
    forget()
    onClose()
  }

  return (
    <Dialog title={t('Create group')} isOpen onClose={onClose}>
      <DialogForm
        label={t('New group')}
        action={t('Create group')}
        isPending={isPending}
        onSubmit={submit}
        onCancel={cancel}
      >
        {error !== null && Object.keys(errors).length === 0 && (
          <ErrorNotice title={t('Couldn’t create the group')} error={toAppError(error)} />
        )}
        <TextField
          label={t('Name')}
          name="name"
          autoComplete="off"
          autoFocus
          maxLength={100}
          value={name}
          error={errors.name ?? null}
          onChange={(name) => write({ name })}
        />
        <TextField
          label={t('Description')}
          rows={2}
          value={description}
          error={errors.description ?? null}
          onChange={(description) => write({ description })}
        />
        <PickerField
          label={t('Members')}
          description={t(
            'People, groups, or the current subscribers of a channel. People who join these groups later are included, too.',
          )}
          offered={{ groups: 'all', channels: true }}
          picks={picks}
          onChange={(picks) => write({ picks })}
          error={errors.picks ?? null}
        />
      </DialogForm>
    </Dialog>
  )
}

async function createGroup(organization: Organization, { name, description, picks }: Filled): Promise<unknown> {
  const people = picks.filter((pick) => !pick.startsWith('group:'))
  return call('POST /user_groups/create', {
    name: name.trim(),
    description: description.trim(),
    members: pickedPeople(organization, people, await membersOfPicked(picks)),
    subgroups: pickedIds(picks, 'group').filter((id) =>
      organization.realm_user_groups.some((group) => group.id === id),
    ),
  })
}

function findErrors({ name, picks }: Filled): FormErrors {
  const unknown = pickedAddresses(picks)
  return {
    ...(name.trim() === '' && { name: t('Enter a name.') }),
    ...(unknown.length > 0 && { picks: t('Fix or remove unknown people: {names}', { names: unknown.join(', ') }) }),
  }
}
