import { useMutation } from '@tanstack/react-query'
import Copy from 'lucide-react/icons/copy'
import type { ReactNode } from 'react'
import { call } from '../../api/call.ts'
import { toAppError } from '../../store/app-error.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { showToast } from '../../ui/feedback/toasts.ts'
import { invitationLinkIn } from '../outbox/mails.ts'

/** Copies the link of the invitation that was just sent to an address. Administrators may read such links. */
export function CopySentLink({ email }: { email: string }): ReactNode {
  const { mutate, isPending } = useMutation({
    mutationFn: async () => navigator.clipboard.writeText(await findLink(email)),
    onSuccess: () => showToast(t('Link for {email} copied', { email })),
    onError: (error) =>
      showToast(t('Couldn’t copy the link. {message}', { message: toAppError(error).message }), { kind: 'error' }),
  })
  return (
    <Button
      kind="quiet"
      icon={<Copy className="icon" aria-hidden="true" />}
      aria-label={t('Copy link for {email}', { email })}
      isPending={isPending}
      onPress={() => mutate()}
    >
      {t('Copy link')}
    </Button>
  )
}

async function findLink(email: string): Promise<string> {
  const { mails } = await call('GET /mails', { recipient: email, limit: 1 })
  const [mail] = mails
  const { message } = mail === undefined ? { message: null } : await call('GET /mails/{mail_id}', { mail_id: mail.id })
  const link = message === null ? undefined : invitationLinkIn(message.text)
  if (link === undefined) throw new Error(t('The email no longer contains the link.'))
  return link
}
