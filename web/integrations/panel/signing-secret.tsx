import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { call } from '../../api/call.ts'
import { toAppError } from '../../store/app-error.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { showToast } from '../../ui/toasts.ts'
import * as css from './panel.module.css'
import type { Integration } from './service.tsx'

/** The secret with which the service signs its deliveries. The server never returns it, only whether there is one. */
export function SigningSecret({ service, botId }: { service: Integration; botId: number }): ReactNode {
  const { name, title } = service
  const [secret, setSecret] = useState('')
  const { data, refetch } = useQuery({
    queryKey: ['webhook-secrets', botId],
    queryFn: ({ signal }) => call('GET /bots/{bot_id}/webhook_secrets', { bot_id: botId }, { signal }),
    staleTime: 0,
  })
  const { mutate, isPending, error } = useMutation({
    mutationFn: (value: string) =>
      call('PUT /bots/{bot_id}/webhook_secrets/{integration}', { bot_id: botId, integration: name, secret: value }),
    onSuccess(_, value) {
      setSecret('')
      showToast(value === '' ? t('Secret removed') : t('Secret saved'))
      void refetch()
    },
  })
  const isSet = data?.integrations.includes(name) === true

  function submit(event: FormEvent) {
    event.preventDefault()
    if (secret.trim() !== '' && !isPending) mutate(secret.trim())
  }

  return (
    <form className={css.secret} noValidate onSubmit={submit}>
      {error !== null && <ErrorNotice title={t('Couldn’t save the secret')} error={toAppError(error)} />}
      <TextField
        label={t('Secret')}
        type="password"
        autoComplete="off"
        value={secret}
        onChange={setSecret}
        description={
          isSet
            ? t('A secret is set. Deliveries without a valid signature of {title} are refused.', { title })
            : t('Enter the same secret in {title}. Deliveries without a valid signature are then refused.', { title })
        }
        after={
          <Button type="submit" isPending={isPending}>
            {t('Save')}
          </Button>
        }
      />
      {isSet && (
        <div>
          <Button isPending={isPending} onPress={() => mutate('')}>
            {t('Remove secret')}
          </Button>
        </div>
      )}
    </form>
  )
}
