import { useMutation, useQuery } from '@tanstack/react-query'
import KeyRound from 'lucide-react/icons/key-round'
import Plus from 'lucide-react/icons/plus'
import { type ReactNode, useRef, useState } from 'react'
import { MAX_LENGTH } from '#rules/shared-limits.ts'
import { type AnswerOf, call } from '../../api/call.ts'
import { isPasswordRefusal, useCurrentPassword } from '../../forms/current-password.tsx'
import { fieldErrors, toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { queryClient } from '../../store/query-client.ts'
import { rich } from '../../text/rich.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions, DialogForm } from '../../ui/dialog.tsx'
import { ErrorSummary, focusFirst } from '../../ui/error-summary.tsx'
import { TextField } from '../../ui/field.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Empty, Loading } from '../../ui/page-states.tsx'
import { Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toasts.ts'
import * as css from './api-keys.module.css'
import { ShownKey } from './shown-key.tsx'

type Errors = { name?: string }

/** Asks for a name, and for the password if the login was a while ago, and then shows the new API key once. */
function NewKeyDialog({ onClose, onMade }: { onClose: () => void; onMade: () => void }): ReactNode {
  const { delivery_email } = useOrganization('delivery_email')
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
  const [name, setName] = useState('')
  const currentPassword = useCurrentPassword()
  const [errors, setErrors] = useState<Errors>({})
  const form = useRef<HTMLFormElement>(null)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('POST /users/me/api_keys', { name, ...currentPassword.params }),
    onSuccess: ({ api_key }) => onMade(api_key),
    onError(failure) {
      currentPassword.onError(failure)
      showErrors(fieldErrors(failure, { name: 'name' }))
    },
  })

  function showErrors(found: Errors) {
    setErrors(found)
    focusFirst(form.current, found)
  }

  function submit() {
    const found: Errors = name.trim() === '' ? { name: t('Enter a name for the key.') } : {}
    showErrors(found)
    if (Object.keys(found).length === 0) mutate()
  }

  return (
    <DialogForm ref={form} action={t('Create key')} isPending={isPending} onSubmit={submit} onCancel={onClose}>
      {error !== null && !isPasswordRefusal(error) && Object.keys(errors).length === 0 && (
        <ErrorNotice error={toAppError(error)} />
      )}
      <ErrorSummary errors={errors} />
      <TextField
        label={t('Name')}
        name="name"
        placeholder={t('My laptop’s terminal')}
        maxLength={MAX_LENGTH.apiKeyName}
        value={name}
        error={errors.name ?? null}
        description={t('An API key gives full access to your account.')}
        onChange={setName}
      />
      {currentPassword.field}
    </DialogForm>
  )
}

const KEY = ['api-keys']

type ApiKey = AnswerOf<'GET /users/me/api_keys'>['api_keys'][number]

/** The list of the user's API keys, with buttons to create and revoke keys. */
export function ApiKeys(): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => call('GET /users/me/api_keys', {}, { signal }),
  })
  const [isMaking, make] = useState(false)
  const [ending, end] = useState<ApiKey | null>(null)
  return (
    <div className="stack">
      <div>
        <Button kind="primary" icon={<Plus className="icon" aria-hidden="true" />} onPress={() => make(true)}>
          {t('New key')}
        </Button>
      </div>
      {error !== null ? (
        <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading label={t('Loading API keys')} />
      ) : data.api_keys.length === 0 ? (
        <Empty icon={<KeyRound />} title={t('No API keys')}>
          <p>
            {t(
              'Terminal clients and the mobile app log in with an API key. Create one for each, so you can revoke it separately.',
            )}
          </p>
        </Empty>
      ) : (
        <ul className={`card ${css.keyList}`} aria-label={t('Your API keys')}>
          {data.api_keys.map((key) => (
            <KeyRow key={key.id} apiKey={key} onEnd={() => end(key)} />
          ))}
        </ul>
      )}
      {isMaking && <NewKeyDialog onClose={() => make(false)} onMade={refresh} />}
      {ending !== null && <EndKeyDialog apiKey={ending} onClose={() => end(null)} />}
    </div>
  )
}

const refresh = () => void queryClient.invalidateQueries({ queryKey: KEY })

function KeyRow({ apiKey, onEnd }: { apiKey: ApiKey; onEnd: () => void }): ReactNode {
  const { client, created_at, last_used_at } = apiKey
  return (
    <li className={css.keyRow}>
      <KeyRound className="icon" aria-hidden="true" />
      <div className={css.keyText}>
        <b>{client}</b>
        <span className="soft small">
          {last_used_at === null
            ? rich('Created {created} · never used', { created: <Time at={created_at} as="ago" /> })
            : rich('Created {created} · last used {used}', {
                created: <Time at={created_at} as="ago" />,
                used: <Time at={last_used_at} as="ago" />,
              })}
        </span>
      </div>
      <Button aria-label={t('Revoke {client}', { client })} onPress={onEnd}>
        {t('Revoke')}
      </Button>
    </li>
  )
}

function EndKeyDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }): ReactNode {
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('DELETE /users/me/api_keys/{key_id}', { key_id: apiKey.id }),
    onSuccess() {
      refresh()
      showToast(t('Key for {client} revoked', { client: apiKey.client }))
      onClose()
    },
  })
  return (
    <Dialog
      title={t('Revoke key for {client}?', { client: apiKey.client })}
      role="alertdialog"
      isOpen
      onClose={onClose}
    >
      <div className="dialog-body">
        {error !== null && <ErrorNotice title={t('Couldn’t revoke the key')} error={toAppError(error)} />}
        <p>
          {t(
            'Programs that use this key are logged out immediately. You can’t undo this, but you can create a new key.',
          )}
        </p>
      </div>
      <DialogActions>
        <Button onPress={onClose}>{t('Cancel')}</Button>
        <Button kind="danger" isPending={isPending} onPress={() => mutate()}>
          {t('Revoke')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
