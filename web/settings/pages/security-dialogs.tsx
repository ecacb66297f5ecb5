import { useMutation, useQuery } from '@tanstack/react-query'
import Download from 'lucide-react/icons/download'
import { type ReactNode, useState } from 'react'
import { MAX_LENGTH } from '#rules/shared-limits.ts'
import { type AnswerOf, call } from '../../api/call.ts'
import { makePasskey } from '../../browser/passkeys.ts'
import { isPasswordRefusal, passkeyError, useCurrentPassword } from '../../forms/current-password.tsx'
import { toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog, DialogActions, DialogForm } from '../../ui/dialog.tsx'
import { CheckboxField, TextField } from '../../ui/field.tsx'
import { saveFile } from '../../ui/files.ts'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { Loading } from '../../ui/page-states.tsx'
import { QrCode } from '../../ui/qr-code.tsx'
import { showToast } from '../../ui/toasts.ts'
import * as css from './security.module.css'

export type SecondFactors = AnswerOf<'GET /users/me/second_factors'>

type Codes = readonly string[]

/** Shows recovery codes, which can't be shown again. */
function RecoveryCodes({ codes, onClose }: { codes: Codes; onClose: () => void }): ReactNode {
  const { realm_name, delivery_email } = useOrganization('realm_name', 'delivery_email')
  const text = codes.join('\n')
  const file = `${t('Recovery codes of {email} for {organization}', { email: delivery_email, organization: realm_name })}\n\n${text}\n`
  return (
    <>
      <div className="dialog-body">
        <Notice kind="warn" title={t('These codes are only shown once')}>
          <p>
            {t('Keep them where you find them without your phone. Each code works once in place of the second step.')}
          </p>
        </Notice>
        <ul className={css.recoveryCodes} aria-label={t('Recovery codes')}>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <div className="row">
          <CopyButton text={text} autoFocus>
            {t('Copy codes')}
          </CopyButton>
          <Button
            icon={<Download className="icon" aria-hidden="true" />}
            onPress={() => saveFile('recovery-codes.txt', file, 'text/plain')}
          >
            {t('Download codes')}
          </Button>
        </div>
      </div>
      <DialogActions>
        <Button kind="primary" onPress={onClose}>
          {t('Done')}
        </Button>
      </DialogActions>
    </>
  )
}

type AddDialog = { onClose: () => void; onChanged: () => void }

/** Shows the recovery codes that come with the first factor, or closes the dialog. */
function useCodes({ onClose, onChanged }: AddDialog, done: string) {
  const [codes, setCodes] = useState<Codes | null>(null)
  function finish({ recovery_codes }: { recovery_codes: Codes | null }) {
    onChanged()
    showToast(done)
    if (recovery_codes === null) onClose()
    else setCodes(recovery_codes)
  }
  return { codes, finish }
}

/** Adds an authenticator app: a QR code to scan, and a code of the app to enter. */
export function AppDialog(props: AddDialog): ReactNode {
  const { codes, finish } = useCodes(props, t('Authenticator app added'))
  return (
    <Dialog
      title={codes === null ? t('Add an authenticator app') : t('Your recovery codes')}
      isOpen
      onClose={props.onClose}
      ignoresClicksOutside
    >
      {codes === null ? (
        <AppForm onClose={props.onClose} onAdded={finish} />
      ) : (
        <RecoveryCodes codes={codes} onClose={props.onClose} />
      )}
    </Dialog>
  )
}

type Added = { recovery_codes: Codes | null }

function AppForm({ onClose, onAdded }: { onClose: () => void; onAdded: (added: Added) => void }): ReactNode {
  const start = useQuery({
    queryKey: ['new-authenticator-app'],
    queryFn: () => call('POST /users/me/totp/secret', {}),
    gcTime: 0,
    staleTime: Infinity,
  })
  const [code, setCode] = useState('')
  const [logsOutOthers, logOutOthers] = useState(false)
  const currentPassword = useCurrentPassword()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      call('POST /users/me/totp', {
        ...{ key: start.data?.key ?? '', code, log_out_others: logsOutOthers },
        ...currentPassword.params,
      }),
    onSuccess: onAdded,
    onError: currentPassword.onError,
  })
  if (start.error !== null)
    return (
      <div className="dialog-body">
        <ErrorNotice error={toAppError(start.error)} onRetry={() => void start.refetch()} />
      </div>
    )
  if (start.data === undefined) return <Loading label={t('Loading QR code')} />
  const { secret, address } = start.data
  return (
    <DialogForm action={t('Add app')} isPending={isPending} onSubmit={mutate} onCancel={onClose}>
      <div className={css.setupApp}>
        <QrCode text={address} label={t('QR code for the app')} />
        <div>
          <p>{t('Scan the QR code with an authenticator app on your phone. If you can’t, enter this key there:')}</p>
          <p className={css.setupSecret}>{secret.match(/.{4}/g)?.join(' ')}</p>
          <div>
            <CopyButton text={secret}>{t('Copy key')}</CopyButton>
          </div>
        </div>
      </div>
      <TextField
        label={t('Code that the app shows')}
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        value={code}
        error={error === null || isPasswordRefusal(error) ? null : toAppError(error).message}
        onChange={setCode}
      />
      {currentPassword.field}
      <CheckboxField isSelected={logsOutOthers} onChange={logOutOthers}>
        {t('Log out my other browsers')}
      </CheckboxField>
    </DialogForm>
  )
}

/** Adds a passkey of this device, a phone or a security key. */
export function PasskeyDialog(props: AddDialog): ReactNode {
  const { codes, finish } = useCodes(props, t('Passkey added'))
  return (
    <Dialog
      title={codes === null ? t('Add a passkey') : t('Your recovery codes')}
      isOpen
      onClose={props.onClose}
      ignoresClicksOutside={codes !== null}
    >
      {codes === null ? (
        <PasskeyForm onClose={props.onClose} onAdded={finish} />
      ) : (
        <RecoveryCodes codes={codes} onClose={props.onClose} />
      )}
    </Dialog>
  )
}

function PasskeyForm({ onClose, onAdded }: { onClose: () => void; onAdded: (added: Added) => void }): ReactNode {
  const [name, setName] = useState('')
  const [logsOutOthers, logOutOthers] = useState(false)
  // The same passkey is sent again with the password if the server asks for it.
  const [made, setMade] = useState<string | null>(null)
  const currentPassword = useCurrentPassword()
  const { mutate, isPending, error } = useMutation({
    async mutationFn() {
      let passkey = made
      if (passkey === null) {
        const { options } = await call('POST /users/me/passkeys/challenge', { purpose: 'register' })
        passkey = await makePasskey(options)
        setMade(passkey)
      }
      const given = { passkey, name: name.trim() || t('Passkey'), log_out_others: logsOutOthers }
      return call('POST /users/me/passkeys', { ...given, ...currentPassword.params })
    },
    onSuccess: onAdded,
    onError(failure) {
      currentPassword.onError(failure)
      if (!isPasswordRefusal(failure)) setMade(null)
    },
  })
  return (
    <DialogForm action={t('Add passkey')} isPending={isPending} onSubmit={mutate} onCancel={onClose}>
      <p>{t('Your browser asks for your fingerprint, face, PIN or security key. You can then log in with it.')}</p>
      <TextField
        label={t('Name')}
        name="name"
        autoFocus
        placeholder={t('My laptop')}
        maxLength={MAX_LENGTH.apiKeyName}
        value={name}
        error={error === null || isPasswordRefusal(error) ? null : passkeyError(error)}
        onChange={setName}
      />
      {currentPassword.field}
      <CheckboxField isSelected={logsOutOthers} onChange={logOutOthers}>
        {t('Log out my other browsers')}
      </CheckboxField>
    </DialogForm>
  )
}

/** Asks before a change that may need the current password. */
export function ConfirmDialog(props: {
  title: string
  text: string
  action: string
  isDanger?: boolean
  run: (params: { password?: string }) => Promise<unknown>
  onClose: () => void
}): ReactNode {
  const { title, text, action, isDanger = true, run, onClose } = props
  const currentPassword = useCurrentPassword()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => run(currentPassword.params),
    onSuccess: onClose,
    onError: currentPassword.onError,
  })
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <DialogForm action={action} isDanger={isDanger} isPending={isPending} onSubmit={mutate} onCancel={onClose}>
        {error !== null && !isPasswordRefusal(error) && <ErrorNotice error={toAppError(error)} />}
        <p>{text}</p>
        {currentPassword.field}
      </DialogForm>
    </Dialog>
  )
}

/** Replaces the recovery codes, and shows the new ones. */
export function NewCodesDialog({ onClose, onChanged }: AddDialog): ReactNode {
  const [codes, setCodes] = useState<Codes | null>(null)
  if (codes !== null)
    return (
      <Dialog title={t('Your recovery codes')} isOpen onClose={onClose} ignoresClicksOutside>
        <RecoveryCodes codes={codes} onClose={onClose} />
      </Dialog>
    )
  return (
    <ConfirmDialog
      title={t('Replace your recovery codes?')}
      text={t('Your earlier codes stop working.')}
      action={t('Replace codes')}
      isDanger={false}
      run={async (params) => {
        const { recovery_codes } = await call('POST /users/me/recovery_codes', params)
        onChanged()
        setCodes(recovery_codes)
      }}
      onClose={() => codes === null && onClose()}
    />
  )
}

/** Renames a passkey. */
export function RenameDialog(props: AddDialog & { passkey: SecondFactors['passkeys'][number] }): ReactNode {
  const { passkey, onClose, onChanged } = props
  const [name, setName] = useState(passkey.name)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('PATCH /users/me/passkeys/{passkey_id}', { passkey_id: passkey.id, name }),
    onSuccess() {
      onChanged()
      onClose()
    },
  })
  return (
    <Dialog title={t('Rename passkey')} isOpen onClose={onClose}>
      <DialogForm action={t('Rename')} isPending={isPending} onSubmit={mutate} onCancel={onClose}>
        <TextField
          label={t('Name')}
          name="name"
          autoFocus
          maxLength={MAX_LENGTH.apiKeyName}
          value={name}
          error={error === null ? null : toAppError(error).message}
          onChange={setName}
        />
      </DialogForm>
    </Dialog>
  )
}
