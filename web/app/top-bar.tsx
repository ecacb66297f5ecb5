import { Link, useLocation } from '@tanstack/react-router'
import Hash from 'lucide-react/icons/hash'
import House from 'lucide-react/icons/house'
import MailOpen from 'lucide-react/icons/mail-open'
import Send from 'lucide-react/icons/send'
import Settings from 'lucide-react/icons/settings'
import UserPlus from 'lucide-react/icons/user-plus'
import Users from 'lucide-react/icons/users'
import type { ComponentType, ReactNode, SVGProps } from 'react'
import { useOrganization } from '../store/organization.ts'
import { useMayInvite } from '../views/invite/choices.ts'
import { AccountMenu } from './account-menu.tsx'
import './top-bar.css'

type Place = {
  to: '/' | '/channels' | '/people' | '/invitations' | '/outbox' | '/settings'
  label: string
  icon: ComponentType<SVGProps<SVGSVGElement>>
}

/** The pages about channels, not those in which one reads them. */
const ABOUT_CHANNELS = /^\/channels(?:$|\/$|\/new$|\/\d+\/settings)/

const CHAT = /^\/(?:channels|combined|dm|drafts|inbox|mentions|recent|search|starred)(?:\/|$)/

function isAt(path: string, to: Place['to']): boolean {
  if (to === '/channels') return ABOUT_CHANNELS.test(path)
  if (to === '/') return path === '/' || (CHAT.test(path) && !ABOUT_CHANNELS.test(path))
  return path.startsWith(to)
}

/** The organization's name, the ways to its pages, and what is one's own. */
export function TopBar(): ReactNode {
  const { realm_name, is_admin } = useOrganization()
  const may = useMayInvite()
  const mayInvite = may.byEmail || may.byLink
  const { pathname } = useLocation()
  const places: Place[] = [
    { to: '/', label: 'Home', icon: House },
    { to: '/channels', label: 'Channels', icon: Hash },
    { to: '/people', label: 'People', icon: Users },
    ...(mayInvite || is_admin ? [{ to: '/invitations' as const, label: 'Invitations', icon: Send }] : []),
    ...(is_admin ? [{ to: '/outbox' as const, label: 'Outbox', icon: MailOpen }] : []),
    { to: '/settings', label: 'Settings', icon: Settings },
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
        {places.map(({ to, label, icon: Icon }) => (
          <Link
            key={to}
            to={to}
            className="top-bar-place"
            activeOptions={{ exact: true }}
            aria-current={isAt(pathname, to) ? 'page' : undefined}
          >
            <Icon className="icon" aria-hidden="true" />
            {label}
          </Link>
        ))}
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
            <span className="top-bar-invite-text">Invite people</span>
          </Link>
        )}
        <AccountMenu />
      </div>
    </header>
  )
}
