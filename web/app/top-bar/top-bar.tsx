import { Link, useLocation } from '@tanstack/react-router'
import UserPlus from 'lucide-react/icons/user-plus'
import type { ReactNode } from 'react'
import { useOrganization } from '../../store/organization.ts'
import { useMedia } from '../../ui/layout/use-media.ts'
import { useMayInvite } from '../../views/invite/invitation-choices.ts'
import { AccountMenu } from './account-menu.tsx'
import { navItems, PHONE_NAV_ITEMS, rareNavItems } from './nav-items.ts'
import './top-bar.css'
import { t } from '../../text/t.ts'

/** The top bar: the organization's name, its pages and the account menu. On phones, the pages are at the bottom. */
export function TopBar(): ReactNode {
  const { realm_name, is_admin } = useOrganization()
  const may = useMayInvite()
  const mayInvite = may.byEmail || may.byLink
  const { pathname } = useLocation()
  const isPhone = useMedia('(max-width: 48rem)')
  const sight = { invitations: mayInvite || is_admin, outbox: is_admin }
  const places = isPhone ? PHONE_NAV_ITEMS : navItems(sight)
  return (
    <header className="top-bar" data-pane>
      <Link to="/" className="top-bar-name">
        <span className="top-bar-mark" aria-hidden="true">
          {[...realm_name][0]?.toUpperCase()}
        </span>
        <span className="top-bar-realm">{realm_name}</span>
      </Link>
      <nav className="top-bar-places" aria-label={t('Pages')}>
        {places.map(({ to, label, icon: Icon, holds }) => (
          <Link
            key={to}
            to={to}
            className="top-bar-place"
            activeOptions={{ exact: true }}
            aria-current={holds(pathname) ? 'page' : undefined}
          >
            <Icon className="icon" aria-hidden="true" />
            {label}
          </Link>
        ))}
        {isPhone && <AccountMenu isPlace places={rareNavItems(sight)} />}
      </nav>
      <div className="top-bar-own">
        {mayInvite && (
          <Link
            to={pathname}
            resetScroll={false}
            search={{ invite: may.byEmail ? 'email' : 'link' }}
            className="button button-primary top-bar-invite"
          >
            <UserPlus className="icon" aria-hidden="true" />
            <span className="top-bar-invite-text">{t('Invite people')}</span>
          </Link>
        )}
        {!isPhone && <AccountMenu />}
      </div>
    </header>
  )
}
