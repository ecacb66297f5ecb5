import { useMutation, useQuery } from '@tanstack/react-query'
import KeyRound from 'lucide-react/icons/key-round'
import Plus from 'lucide-react/icons/plus'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/call.ts'
import type { AnswerOf } from '../../api/types.ts'
import { toAppError } from '../../store/app-error.ts'
import { queryClient } from '../../store/query-client.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog/dialog.tsx'
import { Empty } from '../../ui/feedback/empty.tsx'
import { ErrorNotice } from '../../ui/feedback/error-notice.tsx'
import { Loading } from '../../ui/feedback/loading.tsx'
import { showToast } from '../../ui/feedback/toasts.ts'
import { Time } from '../../ui/time/time.tsx'
import './api-keys.css'
import { rich } from '../../text/rich.ts'
import { t } from '../../text/t.ts'
import { NewKeyDialog } from './new-key-dialog.tsx'

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
        <ul className="card key-list" aria-label={t('Your API keys')}>
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
    <li className="key-row">
      <KeyRound className="icon" aria-hidden="true" />
      <div className="key-text">
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
