import { Link } from '@tanstack/react-router'
import House from 'lucide-react/icons/house'
import MailOpen from 'lucide-react/icons/mail-open'
import Send from 'lucide-react/icons/send'
import Settings from 'lucide-react/icons/settings'
import UserPlus from 'lucide-react/icons/user-plus'
import type { ComponentType, ReactNode, SVGProps } from 'react'
import { useOrganization } from '../store/organization.ts'
import { AccountMenu } from './account-menu.tsx'
import './top-bar.css'

type Place = { to: string; label: string; icon: ComponentType<SVGProps<SVGSVGElement>>; isExact?: boolean }

/** The organization's name, the ways to its pages, and what is one's own. */
export function TopBar(): ReactNode {
  const { realm_name, can_invite_others_to_realm: mayInvite, is_admin } = useOrganization()
  const places: Place[] = [
    { to: '/', label: 'Home', icon: House, isExact: true },
    ...(mayInvite || is_admin ? [{ to: '/invitations', label: 'Invitations', icon: Send }] : []),
    ...(is_admin ? [{ to: '/outbox', label: 'Outbox', icon: MailOpen }] : []),
    { to: '/settings/profile', label: 'Settings', icon: Settings },
  ]
  return (
    <header className="top-bar" data-pane>
      <Link to="/" className="top-bar-name">
        <span className="top-bar-mark" aria-hidden="true">
          {[...realm_name][0]?.toUpperCase()}
        </span>
        <span className="top-bar-realm">{realm_name}</span>
      </Link>
      <nav className="top-bar-places" aria-label="Pages">
        {places.map(({ to, label, icon: Icon, isExact }) => (
          <Link
            key={to}
            to={to.startsWith('/settings') ? '/settings/$section' : to}
            params={{ section: 'profile' }}
            className="top-bar-place"
            activeOptions={{ exact: isExact ?? false, includeSearch: false }}
            activeProps={{ 'aria-current': 'page' }}
          >
            <Icon className="icon" aria-hidden="true" />
            {label}
          </Link>
        ))}
      </nav>
      <div className="top-bar-own">
        {mayInvite && (
          <Link from="/" to="." search={{ invite: 'email' }} className="button button-primary top-bar-invite">
            <UserPlus className="icon" aria-hidden="true" />
            <span className="top-bar-invite-text">Invite people</span>
          </Link>
        )}
        <AccountMenu />
      </div>
    </header>
  )
}
