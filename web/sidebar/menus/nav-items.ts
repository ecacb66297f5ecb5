import { t } from '../../text/t.ts'

/** A page of the organization or of the user, in a menu. */
export type NavItem = { to: string; label: string }

/** The user's permissions, on which the pages in a menu depend. */
type NavVisibility = { canInvite: boolean; isAdmin: boolean; isGuest: boolean }

/** Returns the pages of the organization that the user may see. */
export function organizationItems({ canInvite, isAdmin, isGuest }: NavVisibility): NavItem[] {
  return [
    { to: '/channels', label: t('All channels') },
    { to: '/people', label: t('People') },
    ...(canInvite || isAdmin ? [{ to: '/invitations', label: t('Invitations') }] : []),
    ...(isAdmin ? [{ to: '/outbox', label: t('Outbox') }] : []),
    ...(isGuest ? [] : [{ to: '/add-integration', label: t('Integrations') }]),
    ...(isAdmin
      ? [{ to: '/organization/people', label: t('Organization') }]
      : isGuest
        ? []
        : [
            { to: '/organization/groups', label: t('Groups') },
            { to: '/organization/emoji', label: t('Custom emoji') },
          ]),
  ]
}

export const HELP: NavItem = { to: '/help', label: t('Help') }

/** The menu items for the user's own data and settings. */
export const OWN_ITEMS: readonly NavItem[] = [
  { to: '/settings/profile', label: t('Your profile') },
  { to: '/settings/availability', label: t('Availability') },
  { to: '/settings', label: t('Settings') },
]
