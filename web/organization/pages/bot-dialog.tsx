import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { MAX_LENGTH } from '#rules/shared-limits.ts'
import { call } from '../../api/call.ts'
import { isPasswordRefusal, useCurrentPassword } from '../../forms/current-password.tsx'
import { fieldErrors, toAppError } from '../../store/app-error.ts'
import { type Person, useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { ComboField } from '../../ui/combo-field.tsx'
import { Dialog, DialogForm } from '../../ui/dialog.tsx'
import { focusFirst } from '../../ui/error-summary.tsx'
import { TextField } from '../../ui/field.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { showToast } from '../../ui/toasts.ts'

type Errors = Partial<Record<'name' | 'owner', string>>

/** Changes a bot's name and owner. */
export function BotDialog({ bot, onClose }: { bot: Person; onClose: () => void }): ReactNode {
  const { user_id, full_name, bot_owner_id } = bot
  const { realm_users } = useOrganization('realm_users')
  const [owners] = useState(() => ownersFrom(realm_users))
  const [name, setName] = useState(full_name)
  const [owner, setOwner] = useState(() => (owners.some(({ id }) => id === bot_owner_id) ? bot_owner_id : null))
  const [errors, setErrors] = useState<Errors>({})
  const form = useRef<HTMLFormElement>(null)
  const currentPassword = useCurrentPassword()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      call('PATCH /bots/{bot_id}', {
        bot_id: user_id,
        ...(name.trim() !== full_name && { full_name: name.trim() }),
        ...(owner !== null && owner !== bot_owner_id && { bot_owner_id: owner }),
        ...currentPassword.params,
      }),
    onSuccess() {
      showToast(t('Changes saved'))
      onClose()
    },
    onError(failure) {
      showErrors(fieldErrors(failure, { full_name: 'name', bot_owner_id: 'owner' }))
      currentPassword.onError(failure)
    },
  })

  function showErrors(found: Errors) {
    setErrors(found)
    focusFirst(form.current, found)
  }

  function submit() {
    const found: Errors = name.trim() === '' ? { name: t('Enter a name.') } : {}
    showErrors(found)
    if (Object.keys(found).length === 0) mutate()
  }

  return (
    <Dialog title={t('Edit {name}', { name: full_name })} isOpen onClose={onClose}>
      <DialogForm ref={form} action={t('Save')} isPending={isPending} onSubmit={submit} onCancel={onClose}>
        {error !== null && !isPasswordRefusal(error) && Object.keys(errors).length === 0 && (
          <ErrorNotice title={t('Couldn’t save the changes')} error={toAppError(error)} />
        )}
        <TextField
          label={t('Name')}
          name="name"
          autoComplete="off"
          autoFocus
          maxLength={MAX_LENGTH.fullName}
          value={name}
          error={errors.name ?? null}
          onChange={setName}
        />
        <ComboField
          label={t('Owner')}
          name="owner"
          placeholder={t('Enter a name')}
          value={owner}
          error={errors.owner ?? null}
          onChoose={setOwner}
          options={owners}
          description={t(
            'Manages the bot and its API keys. A new owner has to generate a new key, and the previous owner loses access unless they’re an administrator.',
          )}
        />
        {currentPassword.field}
      </DialogForm>
    </Dialog>
  )
}

const byName = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true })

const ownersFrom = (people: readonly Person[]) =>
  people
    .filter(({ is_bot }) => !is_bot)
    .sort((one, other) => byName.compare(one.full_name, other.full_name))
    .map(({ user_id, full_name }) => ({ id: user_id, label: full_name }))
