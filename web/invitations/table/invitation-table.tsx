import { useMutation, useQuery } from '@tanstack/react-query'
import { memo, type ReactNode, useState } from 'react'
import { toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { rich } from '../../text/rich.ts'
import { t } from '../../text/t.ts'
import { Button, ShowMore } from '../../ui/button.tsx'
import * as cardTableCss from '../../ui/card-table.module.css'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { CheckboxField } from '../../ui/field.tsx'
import { useMinute } from '../../ui/moments.ts'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Loading } from '../../ui/page-states.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { SelectionBar, useStableFocus } from '../../ui/table.tsx'
import { absoluteTime, Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toasts.ts'
import { Attempts, DeliveryBadge, RetryButton } from '../delivery.tsx'
import * as css from '../invitations.module.css'
import { mailQuery } from '../mails.ts'
import {
  canResend,
  canWithdraw,
  extendInvitation,
  refreshInvitations,
  resendInvitations,
  revokeInvitations,
  useVisibleInvitations,
} from './invitation-actions.ts'
import { InvitationRow } from './invitation-row.tsx'
import type { InvitationEntry } from './invitation-rows.ts'

/** The delivery status of an invitation email; administrators also see the SMTP exchange. */
function DeliveryDialog({ row, onClose }: { row: InvitationEntry; onClose: () => void }): ReactNode {
  const { is_admin } = useOrganization('is_admin')
  const { delivery } = row
  if (delivery === null) return null
  return (
    <Dialog title={t('Email to {label}', { label: row.label })} size="side" isOpen onClose={onClose}>
      <div className="dialog-body">
        <dl className={css.facts}>
          <dt>{t('Status')}</dt>
          <dd>
            <DeliveryBadge state={delivery.state} />
          </dd>
          <dt>{t('Queued')}</dt>
          <dd>
            <Time at={delivery.queued_at} as="absolute" />
          </dd>
          {delivery.next_attempt_at !== null && (
            <>
              <dt>{t('Next attempt')}</dt>
              <dd>
                <Time at={delivery.next_attempt_at} as="relative" />
              </dd>
            </>
          )}
          {delivery.reply !== null && (
            <>
              <dt>{t('Relay response')}</dt>
              <dd>{delivery.reply}</dd>
            </>
          )}
        </dl>
        {is_admin && <Dialogue mailId={delivery.mail_id} />}
      </div>
    </Dialog>
  )
}

function Dialogue({ mailId }: { mailId: number }): ReactNode {
  const { data, error, refetch } = useQuery(mailQuery(mailId))
  if (error !== null) return <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading label={t('Loading attempts')} />
  return (
    <>
      <RetryButton mail={data.mail} hasRelay={data.has_relay} />
      <Attempts attempts={data.attempts} />
    </>
  )
}

const DAY = 1440
const TIMES = [
  { id: String(DAY), label: t('1 day') },
  { id: String(3 * DAY), label: t('3 days') },
  { id: String(10 * DAY), label: t('10 days') },
  { id: String(30 * DAY), label: t('30 days') },
  { id: 'never', label: t('Never') },
]

/** Extends an invitation, even an expired one. */
function ExtendDialog({ row, onClose }: { row: InvitationEntry; onClose: () => void }): ReactNode {
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

const COLUMNS = [t('Recipient'), t('Role'), t('Invited by'), t('Sent'), t('Expires'), t('Status'), t('Uses')]

/** The maximum number of rows that are shown at first. */
const SHOWN = 50

const keyOf = ({ kind, id }: InvitationEntry) => `${kind} ${id}`

/** The table of invitations, with actions for one or several of them; phones show the rows as cards. */
export const InvitationTable = memo(function InvitationTable({
  rows,
}: {
  rows: readonly InvitationEntry[]
}): ReactNode {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [opened, open] = useState<{ row: InvitationEntry; as: 'extend' | 'delivery' } | null>(null)
  const [most, showUpTo] = useState(SHOWN)
  const visible = useVisibleInvitations(rows)
  const table = useStableFocus(visible.length)
  const shown = visible.slice(0, most)
  const chosen = visible.filter((row) => selected.has(keyOf(row)))
  const mails = chosen.filter(canResend)
  const pending = visible.filter(canWithdraw)
  const toggle = (row: InvitationEntry, isOn: boolean) =>
    setSelected((before) => new Set([...before].filter((key) => key !== keyOf(row)).concat(isOn ? keyOf(row) : [])))

  return (
    <div ref={table}>
      <SelectionBar label={t('Selection')} count={chosen.length} onClear={() => setSelected(new Set())}>
        <Button onPress={() => resendInvitations(mails)} isDisabled={mails.length === 0}>
          {mails.length === chosen.length ? t('Resend') : t('Resend {count}', { count: mails.length })}
        </Button>
        <Button onPress={() => revokeInvitations(chosen.filter(canWithdraw))}>{t('Revoke')}</Button>
      </SelectionBar>
      {/* biome-ignore-start lint/a11y/noRedundantRoles: browsers drop the roles of a table that is laid out as cards */}
      <table className={`card ${cardTableCss.cardTable}`} role="table" aria-label={t('Invitations')}>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">
              <CheckboxField
                isSelected={chosen.length > 0 && chosen.length === pending.length}
                onChange={(isOn) => setSelected(new Set(isOn ? pending.map(keyOf) : []))}
              >
                <span className={`visually-hidden ${cardTableCss.selectAll}`}>
                  {t('Select all {count} pending', { count: pending.length })}
                </span>
              </CheckboxField>
            </th>
            {COLUMNS.map((name) => (
              <th key={name} role="columnheader" scope="col">
                {name}
              </th>
            ))}
            <th role="columnheader" scope="col">
              <span className="visually-hidden">{t('Actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {shown.map((row) => (
            <InvitationRow
              key={keyOf(row)}
              row={row}
              isSelected={selected.has(keyOf(row))}
              onSelect={(isOn) => toggle(row, isOn)}
              onExtend={() => open({ row, as: 'extend' })}
              onDelivery={() => open({ row, as: 'delivery' })}
              onResend={() => resendInvitations([row])}
              onWithdraw={() => revokeInvitations([row])}
            />
          ))}
        </tbody>
      </table>
      {/* biome-ignore-end lint/a11y/noRedundantRoles: as above */}
      <ShowMore shown={shown.length} all={visible.length} onMore={() => showUpTo(most + SHOWN)} />
      {opened?.as === 'extend' && <ExtendDialog row={opened.row} onClose={() => open(null)} />}
      {opened?.as === 'delivery' && <DeliveryDialog row={opened.row} onClose={() => open(null)} />}
    </div>
  )
})
