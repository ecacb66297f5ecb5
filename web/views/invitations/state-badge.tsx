import Ban from 'lucide-react/icons/ban'
import Hourglass from 'lucide-react/icons/hourglass'
import Link2 from 'lucide-react/icons/link-2'
import UserCheck from 'lucide-react/icons/user-check'
import type { ComponentType, ReactNode, SVGProps } from 'react'
import { Button } from 'react-aria-components/Button'
import { t } from '../../text/t.ts'
import { Badge, type BadgeKind } from '../../ui/text/badge.tsx'
import { DELIVERY_LOOKS, DeliveryBadge } from '../outbox/delivery-badge.tsx'
import type { InvitationEntry } from './rows.ts'

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
export function StateBadge({ row, onOpen }: { row: InvitationEntry; onOpen: () => void }): ReactNode {
  if (row.state === 'pending' && row.delivery !== null) {
    const look = DELIVERY_LOOKS[row.delivery.state]
    return (
      <Button
        className="badge-button"
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
