import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import { t } from '../../../text/t.ts'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { DialogForm } from '../../../ui/dialog/dialog-form.tsx'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { showToast } from '../../../ui/feedback/toasts.ts'
import { RadioCards } from '../../../ui/fields/radio-cards.tsx'
import { consentsQuery } from './exports-query.ts'

const TYPES = { public: 1, consented: 2 } as const

/** Starts an export of public data, optionally with the private data of users who allow it. */
export function NewExportDialog({ onClose }: { onClose: () => void }): ReactNode {
  const [type, setType] = useState<keyof typeof TYPES>('public')
  const { data } = useQuery(consentsQuery)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('POST /export/realm', { export_type: TYPES[type] }),
    onSuccess() {
      showToast(t('Export started. Notification Bot sends you a message when it is complete.'))
      onClose()
    },
  })
  const people = data?.export_consents ?? []
  const consenting = people.filter(({ consented }) => consented).length
  return (
    <Dialog title={t('Start export')} isOpen onClose={onClose}>
      <DialogForm action={t('Start export')} isPending={isPending} onSubmit={() => mutate()} onCancel={onClose}>
        {error !== null && <ErrorNotice title={t('Couldn’t start the export')} error={toAppError(error)} />}
        <RadioCards
          label={t('Data to export')}
          value={type}
          onChange={(value) => setType(value as keyof typeof TYPES)}
          cards={[
            {
              id: 'public',
              label: t('Public data'),
              hint: t('Everyone’s profile, and public channels with their messages and files.'),
            },
            {
              id: 'consented',
              label: t('Public and private data'),
              hint: t('Public data, plus settings, direct messages and private channels of people who allow it.'),
            },
          ]}
        />
        {data !== undefined && (
          <p className="soft">
            {t(
              '{consenting, plural, =0 {No one has allowed the export of their private data.} one {# of {total, number} people allows the export of their private data.} other {# of {total, number} people allow the export of their private data.}} Everyone decides this in their account settings.',
              { consenting, total: people.length },
            )}
          </p>
        )}
        <p className="soft">{t('An organization can start five exports in seven days.')}</p>
      </DialogForm>
    </Dialog>
  )
}
