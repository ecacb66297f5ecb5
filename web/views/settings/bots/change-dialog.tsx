import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import { fieldErrors } from '../../../store/field-errors.ts'
import { t } from '../../../text/t.ts'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { DialogForm } from '../../../ui/dialog/dialog-form.tsx'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { showToast } from '../../../ui/feedback/toasts.ts'
import { focusFirst } from '../../../ui/fields/error-summary.tsx'
import { TextField } from '../../../ui/fields/field.tsx'
import { isPasswordRefusal, useCurrentPassword } from '../current-password.tsx'
import { type BotField, botFields } from './bot-fields.ts'
import { type Bot, refreshBots } from './own-bots.ts'

/** Edits a bot's name, and the URL of an outgoing webhook. */
export function ChangeDialog({ bot, onClose }: { bot: Bot; onClose: () => void }): ReactNode {
  const { user_id, full_name, services } = bot
  const [service] = services
  const [name, setName] = useState(full_name)
  const [url, setUrl] = useState(service?.base_url ?? '')
  const [errors, setErrors] = useState<Partial<Record<BotField, string>>>({})
  const form = useRef<HTMLFormElement>(null)
  const currentPassword = useCurrentPassword()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      call('PATCH /bots/{bot_id}', {
        bot_id: user_id,
        ...(name.trim() !== full_name && { full_name: name.trim() }),
        ...(service !== undefined && url.trim() !== service.base_url && { service_payload_url: url.trim() }),
        ...currentPassword.params,
      }),
    onSuccess() {
      refreshBots()
      showToast(t('Changes saved'))
      onClose()
    },
    onError(failure) {
      showErrors(fieldErrors(failure, botFields))
      currentPassword.onError(failure)
    },
  })

  function showErrors(found: Partial<Record<BotField, string>>) {
    setErrors(found)
    focusFirst(form.current, found)
  }

  function submit() {
    const found = {
      ...(name.trim() === '' && { name: t('Enter a name.') }),
      ...(service !== undefined && !URL.canParse(url.trim()) && { url: t('Enter a URL.') }),
    }
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
          maxLength={100}
          value={name}
          error={errors.name ?? null}
          onChange={setName}
        />
        {service !== undefined && (
          <TextField
            label={t('Endpoint URL')}
            name="url"
            type="url"
            autoComplete="off"
            value={url}
            error={errors.url ?? null}
            onChange={setUrl}
          />
        )}
        {currentPassword.field}
      </DialogForm>
    </Dialog>
  )
}
