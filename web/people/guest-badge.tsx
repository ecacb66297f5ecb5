import type { ReactNode } from 'react'
import { useOrganizationPart } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { Badge, type BadgeKind } from '../ui/badge.tsx'

/** Marks a guest, unless the organization has turned such marks off. */
export function GuestBadge({ kind }: { kind?: BadgeKind }): ReactNode {
  return useOrganizationPart(({ realm_enable_guest_user_indicator }) => realm_enable_guest_user_indicator) ? (
    <Badge kind={kind}>{t('Guest')}</Badge>
  ) : null
}
