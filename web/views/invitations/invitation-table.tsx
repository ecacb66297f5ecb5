import { memo, type ReactNode, useState } from 'react'
import { Button } from '../../ui/buttons/button.tsx'
import { ShowMore } from '../../ui/buttons/show-more.tsx'
import { CheckboxField } from '../../ui/fields/checkbox-field.tsx'
import '../../ui/table/card-table.css'
import { t } from '../../text/t.ts'
import { SelectionBar } from '../../ui/table/selection-bar.tsx'
import { useStableFocus } from '../../ui/table/use-stable-focus.ts'
import { DeliveryDialog } from './delivery-dialog.tsx'
import { ExtendDialog } from './extend-dialog.tsx'
import { canResend, canWithdraw, resendInvitations, revokeInvitations } from './invitation-actions.ts'
import { InvitationRow } from './invitation-row.tsx'
import { useVisibleInvitations } from './revoked-rows.ts'
import type { InvitationEntry } from './rows.ts'

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
      <table className="card card-table" role="table" aria-label={t('Invitations')}>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">
              <CheckboxField
                isSelected={chosen.length > 0 && chosen.length === pending.length}
                onChange={(isOn) => setSelected(new Set(isOn ? pending.map(keyOf) : []))}
              >
                <span className="visually-hidden select-all">
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
