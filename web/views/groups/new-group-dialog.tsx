import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { toAppError } from '../../store/app-error.ts'
import { useStoredState } from '../../store/browser/stored-state.ts'
import { useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { DialogForm } from '../../ui/dialog/dialog-form.tsx'
import { ErrorNotice } from '../../ui/feedback/error-notice.tsx'
import { showToast } from '../../ui/feedback/toasts.ts'
import { focusFirst } from '../../ui/fields/error-summary.tsx'
import { TextField } from '../../ui/fields/field.tsx'
import { membersOfPicked } from '../picking/picked-members.ts'
import { Picker } from '../picking/picker.tsx'
import { type PickerChoice, pickedAddresses, pickedIds, pickedPeople } from '../picking/picker-choices.ts'

type Filled = { name: string; description: string; picks: readonly PickerChoice[] }

/** The form for a new group, which includes the user by default. Its content is kept until the group is created or the form is cancelled. */
export function NewGroupDialog({ onClose }: { onClose: () => void }): ReactNode {
  const organization = useOrganization()
  const [{ name, description, picks }, fill, forget] = useStoredState<Filled>('groups.new', () => ({
    name: '',
    description: '',
    picks: [`person:${organization.user_id}`],
  }))
  const form = useRef<HTMLFormElement>(null)
  const [complaints, complain] = useState<{ name?: string; picks?: string }>({})
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: async () =>
      call('POST /user_groups/create', {
        name: name.trim(),
        description: description.trim(),
        members: pickedPeople(
          organization,
          picks.filter((pick) => !pick.startsWith('group:')),
          await membersOfPicked(picks),
        ),
        subgroups: pickedIds(picks, 'group').filter((id) =>
          organization.realm_user_groups.some((group) => group.id === id),
        ),
      }),
    onSuccess() {
      forget()
      showToast(t('{name} created', { name: name.trim() }))
      onClose()
    },
  })

  function write(change: Partial<Filled>) {
    fill(change)
    complain({})
    reset()
  }

  function submit() {
    const unknown = pickedAddresses(picks)
    const found = {
      ...(name.trim() === '' && { name: t('Enter a name.') }),
      ...(unknown.length > 0 && {
        picks: t('Fix or remove unknown people: {names}', { names: unknown.join(', ') }),
      }),
    }
    complain(found)
    focusFirst(form.current, found)
    if (Object.keys(found).length === 0) mutate()
  }

  function giveUp() {
    forget()
    onClose()
  }

  return (
    <Dialog title={t('Create group')} isOpen onClose={onClose}>
      <DialogForm
        ref={form}
        label={t('New group')}
        action={t('Create group')}
        isPending={isPending}
        onSubmit={submit}
        onCancel={giveUp}
      >
        {error !== null && <ErrorNotice title={t('Couldn’t create the group')} trouble={toAppError(error)} />}
        <TextField
          label={t('Name')}
          name="name"
          autoComplete="off"
          value={name}
          error={complaints.name ?? null}
          onChange={(name) => write({ name })}
        />
        <TextField
          label={t('Description')}
          rows={2}
          value={description}
          onChange={(description) => write({ description })}
        />
        <div>
          <Picker
            label={t('Members')}
            description={t(
              'People, groups, or the current subscribers of a channel. Later members of these groups are included.',
            )}
            offered={{ groups: 'all', channels: true }}
            picks={picks}
            onChange={(picks) => write({ picks })}
          />
          {complaints.picks !== undefined && (
            <p className="field-error" role="alert">
              {complaints.picks}
            </p>
          )}
        </div>
      </DialogForm>
    </Dialog>
  )
}
