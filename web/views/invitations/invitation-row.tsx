import Link2 from 'lucide-react/icons/link-2'
import Mail from 'lucide-react/icons/mail'
import type { ReactNode } from 'react'
import { roleName } from '../../store/people/role.ts'
import { toast } from '../../ui/feedback/toast.ts'
import { CheckboxField } from '../../ui/fields/checkbox-field.tsx'
import { type RowAct, RowMenu } from '../../ui/table/row-menu.tsx'
import { Time } from '../../ui/text/time.tsx'
import { canExtend, canResend, canWithdraw } from './acts.ts'
import type { Row } from './rows.ts'
import { StateBadge } from './state-badge.tsx'

type Props = {
  row: Row
  isSelected: boolean
  onSelect: (isSelected: boolean) => void
  onExtend: () => void
  onDelivery: () => void
  onResend: () => void
  onWithdraw: () => void
}

/** One invitation. */
export function InvitationRow({ row, isSelected, onSelect, ...acts }: Props): ReactNode {
  const Icon = row.kind === 'link' ? Link2 : Mail
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: laid out as cards, browsers would forget that it is a table
    <tr role="row" className={row.state === 'pending' ? '' : 'row-ended'}>
      <td role="cell" className="cell-select">
        {canWithdraw(row) && (
          <CheckboxField isSelected={isSelected} onChange={onSelect}>
            <span className="visually-hidden">Select {row.label}</span>
          </CheckboxField>
        )}
      </td>
      <td role="cell" className="cell-who">
        <span className="who">
          <Icon className="icon" aria-hidden="true" />
          <span>
            {row.label}
            {row.domains.length > 0 && <span className="soft small who-more">only {row.domains.join(', ')}</span>}
          </span>
        </span>
      </td>
      <td role="cell" data-label="Role">
        {roleName(row.role)}
      </td>
      <td role="cell" data-label="Invited by">
        {row.inviter}
      </td>
      <td role="cell" data-label="Sent">
        <Time at={row.sentAt} as="ago" />
      </td>
      <td role="cell" data-label="Expires">
        <Expiry row={row} />
      </td>
      <td role="cell" data-label="State">
        <StateBadge row={row} onOpen={acts.onDelivery} />
      </td>
      <td role="cell" data-label="Uses">
        {row.maxUses === null ? row.uses : `${row.uses} of ${row.maxUses}`}
      </td>
      <td role="cell" className="cell-acts">
        <RowMenu label={`Actions for ${row.label}`} items={actsOf(row, acts)} />
      </td>
    </tr>
    // biome-ignore-end lint/a11y/noRedundantRoles: as above
  )
}

/** When it ends, or did; nothing of what ended otherwise before. */
function Expiry({ row: { state, expiresAt } }: { row: Row }): ReactNode {
  if (state !== 'pending' && state !== 'expired') return '–'
  if (expiresAt === null) return 'Never'
  return (
    <span className="cell-times">
      <Time at={expiresAt} as="relative" />
      <span className="soft small">
        <Time at={expiresAt} as="absolute" />
      </span>
    </span>
  )
}

type Acts = Pick<Props, 'onExtend' | 'onDelivery' | 'onResend' | 'onWithdraw'>

function actsOf(row: Row, { onExtend, onDelivery, onResend, onWithdraw }: Acts): RowAct[] {
  const { url } = row
  return [
    url !== null && { label: 'Copy the link', act: () => void copyLink(url) },
    canResend(row) && { label: 'Send again', act: onResend },
    canExtend(row) && { label: 'Extend …', act: onExtend },
    row.delivery !== null && { label: 'How far the mail came', act: onDelivery },
    canWithdraw(row) && { label: 'Withdraw', act: onWithdraw, isDanger: true },
  ].filter((act) => act !== false)
}

const copyLink = (url: string) =>
  navigator.clipboard.writeText(url).then(
    () => toast('The link is copied'),
    () => toast('The browser did not let the page copy', { kind: 'error' }),
  )
