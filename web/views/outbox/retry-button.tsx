import { useMutation } from '@tanstack/react-query'
import RotateCw from 'lucide-react/icons/rotate-cw'
import type { ReactNode } from 'react'
import { call } from '../../api/call.ts'
import { toAppError } from '../../store/app-error.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { ErrorNotice } from '../../ui/feedback/error-notice.tsx'
import { showToast } from '../../ui/feedback/toasts.ts'
import { type Mail, refreshMails } from './mails.ts'

const RETRIED: ReadonlySet<Mail['state']> = new Set(['failed', 'deferred', 'kept'])

/** The button that retries an email, if a retry is possible. Without a relay, kept emails would only be kept again. */
export function RetryButton({ mail, hasRelay }: { mail: Mail; hasRelay: boolean }): ReactNode {
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('POST /mails/{mail_id}/retry', { mail_id: mail.id }),
    onSuccess() {
      showToast(t('Retrying email'))
      void refreshMails()
    },
  })
  if (!RETRIED.has(mail.state) || (mail.state === 'kept' && !hasRelay)) return null
  return (
    <div className="stack">
      {error !== null && <ErrorNotice title={t('Couldn’t retry the email')} error={toAppError(error)} />}
      <div>
        <Button isPending={isPending} icon={<RotateCw className="icon" aria-hidden="true" />} onPress={() => mutate()}>
          {t('Retry now')}
        </Button>
      </div>
    </div>
  )
}
