import Ban from 'lucide-react/icons/ban'
import Hourglass from 'lucide-react/icons/hourglass'
import Link2 from 'lucide-react/icons/link-2'
import Mail from 'lucide-react/icons/mail'
import UserCheck from 'lucide-react/icons/user-check'
import type { ComponentType, ReactNode, SVGProps } from 'react'
import { Button } from 'react-aria-components/Button'
import { roleName } from '../../store/people.ts'
import { t } from '../../text/t.ts'
import { Badge, type BadgeKind } from '../../ui/badge.tsx'
import * as cardTableCss from '../../ui/card-table.module.css'
import { CheckboxField } from '../../ui/field.tsx'
import type { MenuAction } from '../../ui/menu.tsx'
import { RowMenu } from '../../ui/row-menu.tsx'
import { Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toasts.ts'
import { DELIVERY_LOOKS, DeliveryBadge } from '../delivery.tsx'
import * as css from '../invitations.module.css'
import { canExtend, canResend, canWithdraw } from './invitation-actions.ts'
import type { InvitationEntry } from './invitation-rows.ts'

type Look = { label: string; kind: BadgeKind; icon: ComponentType<SVGProps<SVGSVGElement>> }

const PAST: Readonly<Record<Exclude<InvitationEntry['state'], 'pending'>, Look>> = {
  accepted: { label: t('Joined'), kind: 'good', icon: UserCheck },
  expired: { label: t('Expired'), kind: 'warn', icon: Hourglass },
  revoked: { label: t('Revoked'), kind: 'plain', icon: Ban },
  registered: { label: t('Has an account'), kind: 'good', icon: UserCheck },
  superseded: { label: t('Has an account'), kind: 'good', icon: UserCheck },
  'inviter-deactivated': { label: t('Inviter deactivated'), kind: 'plain', icon: Ban },
}

const OPEN_LINK: Look = { label: t('Pending'), kind: 'accent', icon: Link2 }

/**
 * The status of an invitation. For a pending invitation by email, it is a button that shows the status of the email and
 * opens its details.
 */
function StateBadge({ row, onOpen }: { row: InvitationEntry; onOpen: () => void }): ReactNode {
  if (row.state === 'pending' && row.delivery !== null) {
    const look = DELIVERY_LOOKS[row.delivery.state]
    return (
      <Button
        className={css.badgeButton}
        onPress={onOpen}
        aria-label={t('{status}: email status for {recipient}', { status: look.label, recipient: row.label })}
      >
        <LookBadge look={look} />
      </Button>
    )
  }
  if (row.state !== 'pending') return <LookBadge look={PAST[row.state]} />
  return row.kind === 'link' ? <LookBadge look={OPEN_LINK} /> : <DeliveryBadge state="queued" />
}

function LookBadge({ look: { label, kind, icon: Icon } }: { look: Look }): ReactNode {
  return (
    <Badge kind={kind} icon={<Icon className="icon" aria-hidden="true" />}>
      {label}
    </Badge>
  )
}

type Props = {
  row: InvitationEntry
  isSelected: boolean
  onSelect: (isSelected: boolean) => void
  onExtend: () => void
  onDelivery: () => void
  onResend: () => void
  onWithdraw: () => void
}

export function InvitationRow({ row, isSelected, onSelect, ...actions }: Props): ReactNode {
  const Icon = row.kind === 'link' ? Link2 : Mail
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: browsers drop the roles of a table that is laid out as cards
    <tr role="row" className={row.state === 'pending' ? '' : cardTableCss.rowInactive}>
      <td role="cell" className={cardTableCss.cellSelect}>
        {canWithdraw(row) && (
          <CheckboxField isSelected={isSelected} onChange={onSelect}>
            <span className="visually-hidden">{t('Select {label}', { label: row.label })}</span>
          </CheckboxField>
        )}
      </td>
      <td role="cell" className={cardTableCss.cellWho}>
        <span className={cardTableCss.who}>
          <Icon className="icon" aria-hidden="true" />
          <span>
            {row.label}
            {row.domains.length > 0 && (
              <span className={`soft small ${css.whoMore}`}>
                {t('only {value}', { value: row.domains.join(', ') })}
              </span>
            )}
          </span>
        </span>
      </td>
      <td role="cell" data-label={t('Role')}>
        {roleName(row.role)}
      </td>
      <td role="cell" data-label={t('Invited by')}>
        {row.inviter}
      </td>
      <td role="cell" data-label={t('Sent')}>
        <Time at={row.sentAt} as="ago" />
      </td>
      <td role="cell" data-label={t('Expires')}>
        <Expiry row={row} />
      </td>
      <td role="cell" data-label={t('Status')}>
        <StateBadge row={row} onOpen={actions.onDelivery} />
      </td>
      <td role="cell" data-label={t('Uses')}>
        {row.maxUses === null ? row.uses : t('{uses} of {maxUses}', { uses: row.uses, maxUses: row.maxUses })}
      </td>
      <td role="cell" className={cardTableCss.cellActs}>
        <RowMenu label={t('Actions for {label}', { label: row.label })} items={actsOf(row, actions)} />
      </td>
    </tr>
    // biome-ignore-end lint/a11y/noRedundantRoles: as above
  )
}

/** The expiry time; a dash if the invitation was used or revoked. */
function Expiry({ row: { state, expiresAt } }: { row: InvitationEntry }): ReactNode {
  if (state !== 'pending' && state !== 'expired') return '–'
  if (expiresAt === null) return t('Never')
  return (
    <span className={css.cellTimes}>
      <Time at={expiresAt} as="relative" />
      <span className="soft small">
        <Time at={expiresAt} as="absolute" />
      </span>
    </span>
  )
}

type Acts = Pick<Props, 'onExtend' | 'onDelivery' | 'onResend' | 'onWithdraw'>

function actsOf(row: InvitationEntry, { onExtend, onDelivery, onResend, onWithdraw }: Acts): MenuAction[] {
  const { url } = row
  return [
    url !== null && { label: t('Copy link'), run: () => void copyLink(url) },
    canResend(row) && { label: t('Resend'), run: onResend },
    canExtend(row) && { label: t('Extend…'), run: onExtend },
    row.delivery !== null && { label: t('View email status'), run: onDelivery },
    canWithdraw(row) && { label: t('Revoke'), run: onWithdraw, isDanger: true },
  ].filter((action) => action !== false)
}

const copyLink = (url: string) =>
  navigator.clipboard.writeText(url).then(
    () => showToast(t('Link copied')),
    () => showToast(t('Your browser blocked copying'), { kind: 'error' }),
  )
