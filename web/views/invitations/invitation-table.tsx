import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { CheckboxField } from '../../ui/checkbox-field.tsx'
import { DeliveryDialog } from './delivery-dialog.tsx'
import { ExtendDialog } from './extend-dialog.tsx'
import { InvitationRow } from './invitation-row.tsx'
import type { Row } from './rows.ts'
import { canResend, canWithdraw, useActs } from './use-acts.ts'

const COLUMNS = ['Who', 'Role', 'Invited by', 'Sent', 'Expires', 'State', 'Uses']

const keyOf = ({ kind, id }: Row) => `${kind} ${id}`

/** The invitations, each with what can be done with it, and with many at once. On phones a card for each. */
export function InvitationTable({ rows }: { rows: readonly Row[] }): ReactNode {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [opened, open] = useState<{ row: Row; as: 'extend' | 'delivery' } | null>(null)
  const acts = useActs()
  const shown = rows.filter((row) => !acts.isLeaving(row))
  const chosen = shown.filter((row) => selected.has(keyOf(row)))
  const pending = shown.filter(canWithdraw)
  const toggle = (row: Row, isOn: boolean) =>
    setSelected((before) => new Set([...before].filter((key) => key !== keyOf(row)).concat(isOn ? keyOf(row) : [])))

  return (
    <>
      <BulkBar
        chosen={chosen}
        onResend={() => acts.resend(chosen.filter(canResend))}
        onWithdraw={() => acts.withdraw(chosen.filter(canWithdraw))}
        onClear={() => setSelected(new Set())}
      />
      {/* biome-ignore-start lint/a11y/noRedundantRoles: laid out as cards, browsers would forget that it is a table */}
      <table className="card invitation-table" role="table" aria-label="Invitations">
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">
              <CheckboxField
                isSelected={chosen.length > 0 && chosen.length === pending.length}
                onChange={(isOn) => setSelected(new Set(isOn ? pending.map(keyOf) : []))}
              >
                <span className="visually-hidden">Select all that are pending</span>
              </CheckboxField>
            </th>
            {COLUMNS.map((name) => (
              <th key={name} role="columnheader" scope="col">
                {name}
              </th>
            ))}
            <th role="columnheader" scope="col">
              <span className="visually-hidden">Actions</span>
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
              onResend={() => acts.resend([row])}
              onWithdraw={() => acts.withdraw([row])}
            />
          ))}
        </tbody>
      </table>
      {/* biome-ignore-end lint/a11y/noRedundantRoles: as above */}
      {opened?.as === 'extend' && <ExtendDialog row={opened.row} onClose={() => open(null)} />}
      {opened?.as === 'delivery' && <DeliveryDialog row={opened.row} onClose={() => open(null)} />}
    </>
  )
}

function BulkBar(props: {
  chosen: readonly Row[]
  onResend: () => void
  onWithdraw: () => void
  onClear: () => void
}): ReactNode {
  const { chosen, onResend, onWithdraw, onClear } = props
  const mails = chosen.filter(canResend).length
  return (
    <section className="bulk-bar" aria-label="What is selected" hidden={chosen.length === 0}>
      <b role="status">{chosen.length} selected</b>
      <Button onPress={onResend} isDisabled={mails === 0}>
        Send {mails === chosen.length ? '' : `${mails} `}again
      </Button>
      <Button onPress={onWithdraw}>Withdraw</Button>
      <Button kind="quiet" onPress={onClear}>
        Select none
      </Button>
    </section>
  )
}
