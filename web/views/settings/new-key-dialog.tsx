import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { toAppError } from '../../store/app-error.ts'
import { fieldErrors } from '../../store/field-errors.ts'
import { useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { DialogForm } from '../../ui/dialog/dialog-form.tsx'
import { ErrorNotice } from '../../ui/feedback/error-notice.tsx'
import { ErrorSummary, focusFirst } from '../../ui/fields/error-summary.tsx'
import { TextField } from '../../ui/fields/field.tsx'
import { ShownKey } from './shown-key.tsx'

type Errors = { name?: string; password?: string }

/** Asks for a name and the password, and then shows the new API key once. */
export function NewKeyDialog({ onClose, onMade }: { onClose: () => void; onMade: () => void }): ReactNode {
  const { delivery_email } = useOrganization()
  const [key, setKey] = useState<string | null>(null)
  return (
    <Dialog
      title={key === null ? t('New API key') : t('Your new API key')}
      isOpen
      onClose={onClose}
      ignoresClicksOutside={key !== null}
    >
      {key === null ? (
        <NewKeyForm
          onClose={onClose}
          onMade={(made) => {
            setKey(made)
            onMade()
          }}
        />
      ) : (
        <ShownKey apiKey={key} email={delivery_email} onClose={onClose} />
      )}
    </Dialog>
  )
}

function NewKeyForm({ onClose, onMade }: { onClose: () => void; onMade: (key: string) => void }): ReactNode {
  const [given, setGiven] = useState({ name: '', password: '' })
  const [errors, setErrors] = useState<Errors>({})
  const form = useRef<HTMLFormElement>(null)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('POST /users/me/api_keys', given),
    onSuccess: ({ api_key }) => onMade(api_key),
    onError: (failure) => showErrors(fieldErrors(failure, { name: 'name', password: 'password' })),
  })

  function showErrors(found: Errors) {
    setErrors(found)
    focusFirst(form.current, found)
  }

  function submit() {
    const found: Errors = {
      ...(given.name.trim() === '' && { name: t('Enter a name for the key.') }),
      ...(given.password === '' && { password: t('Enter your password.') }),
    }
    showErrors(found)
    if (Object.keys(found).length === 0) mutate()
  }

  return (
    <DialogForm ref={form} action={t('Create key')} isPending={isPending} onSubmit={submit} onCancel={onClose}>
      {error !== null && Object.keys(errors).length === 0 && <ErrorNotice error={toAppError(error)} />}
      <ErrorSummary errors={errors} />
      <TextField
        label={t('Name')}
        name="name"
        placeholder={t('My laptop’s terminal')}
        maxLength={30}
        value={given.name}
        error={errors.name ?? null}
        onChange={(name) => setGiven({ ...given, name })}
      />
      <TextField
        label={t('Your password')}
        name="password"
        type="password"
        autoComplete="current-password"
        value={given.password}
        error={errors.password ?? null}
        description={t('An API key gives full access to your account, so confirm it’s you.')}
        onChange={(password) => {
          setGiven({ ...given, password })
          setErrors(({ password: _, ...others }) => others)
        }}
      />
    </DialogForm>
  )
}
