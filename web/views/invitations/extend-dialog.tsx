import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { toAppError } from '../../store/app-error.ts'
import { rich } from '../../text/rich.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog/dialog.tsx'
import { ErrorNotice } from '../../ui/feedback/error-notice.tsx'
import { showToast } from '../../ui/feedback/toasts.ts'
import { SelectField } from '../../ui/fields/select-field.tsx'
import { absoluteTime, useMinute } from '../../ui/time/time.tsx'
import { extendInvitation, refreshInvitations } from './invitations-data.ts'
import type { InvitationEntry } from './rows.ts'

const DAY = 1440
const TIMES = [
  { id: String(DAY), label: t('1 day') },
  { id: String(3 * DAY), label: t('3 days') },
  { id: String(10 * DAY), label: t('10 days') },
  { id: String(30 * DAY), label: t('30 days') },
  { id: 'never', label: t('Never') },
]

/** Extends an invitation, even an expired one. */
export function ExtendDialog({ row, onClose }: { row: InvitationEntry; onClose: () => void }): ReactNode {
  const [choice, choose] = useState(String(10 * DAY))
  const now = useMinute()
  const minutes = choice === 'never' ? null : Number(choice)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => extendInvitation(row, minutes),
    onSuccess() {
      void refreshInvitations()
      showToast(t('Invitation extended: {label}', { label: row.label }))
      onClose()
    },
  })
  return (
    <Dialog title={t('Extend invitation')} isOpen onClose={onClose}>
      <div className="dialog-body">
        {error !== null && <ErrorNotice title={t('Couldn’t extend the invitation')} error={toAppError(error)} />}
        <p>
          {row.kind === 'email' ? (
            rich('<b>{label}</b> won’t get a new email. Their current link stays valid longer.', {
              label: row.label,
              b: (text) => <b>{text}</b>,
            })
          ) : (
            <b>{row.label}</b>
          )}
        </p>
        <SelectField
          label={t('Expires after')}
          value={choice}
          onChange={choose}
          options={TIMES}
          description={
            minutes === null
              ? t('Valid until revoked.')
              : t('Expires {absoluteTime}', { absoluteTime: absoluteTime(now + minutes * 60) })
          }
        />
      </div>
      <DialogActions>
        <Button onPress={onClose}>{t('Cancel')}</Button>
        <Button kind="primary" isPending={isPending} onPress={() => mutate()}>
          {t('Extend')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
