import Ban from 'lucide-react/icons/ban'
import CircleCheck from 'lucide-react/icons/circle-check'
import CircleX from 'lucide-react/icons/circle-x'
import Clock from 'lucide-react/icons/clock'
import Hourglass from 'lucide-react/icons/hourglass'
import Inbox from 'lucide-react/icons/inbox'
import type { ComponentType, ReactNode, SVGProps } from 'react'
import { t } from '../../text/t.ts'
import { Badge, type BadgeKind } from '../../ui/text/badge.tsx'
import type { MailState } from './mails.ts'

type Look = { label: string; kind: BadgeKind; icon: ComponentType<SVGProps<SVGSVGElement>> }

/** The label and icon of each delivery status. */
export const DELIVERY_LOOKS: Readonly<Record<MailState, Look>> = {
  queued: { label: t('Queued'), kind: 'plain', icon: Clock },
  deferred: { label: t('Deferred'), kind: 'warn', icon: Hourglass },
  sent: { label: t('Sent'), kind: 'good', icon: CircleCheck },
  failed: { label: t('Email failed'), kind: 'danger', icon: CircleX },
  kept: { label: t('In outbox'), kind: 'warn', icon: Inbox },
  cancelled: { label: t('Canceled'), kind: 'plain', icon: Ban },
}

export function DeliveryBadge({ state }: { state: MailState }): ReactNode {
  const { label, kind, icon: Icon } = DELIVERY_LOOKS[state]
  return (
    <Badge kind={kind} icon={<Icon className="icon" aria-hidden="true" />}>
      {label}
    </Badge>
  )
}
