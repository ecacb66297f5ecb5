import { Link, Navigate, useParams } from '@tanstack/react-router'
import Bell from 'lucide-react/icons/bell'
import Bot from 'lucide-react/icons/bot'
import CircleUser from 'lucide-react/icons/circle-user'
import Eye from 'lucide-react/icons/eye'
import KeyRound from 'lucide-react/icons/key-round'
import KeyboardIcon from 'lucide-react/icons/keyboard'
import Lock from 'lucide-react/icons/lock'
import SlidersHorizontal from 'lucide-react/icons/sliders-horizontal'
import type { ComponentType, ReactNode, SVGProps } from 'react'
import { useOrganization } from '../../store/organization.ts'
import { PageHead } from '../../ui/layout/page.tsx'
import { ApiKeys } from './api-keys.tsx'
import { Availability } from './availability.tsx'
import { Bots } from './bots/bots.tsx'
import { Keyboard } from './keyboard.tsx'
import { Notifications } from './notifications/notifications.tsx'
import { Password } from './password.tsx'
import { Preferences } from './preferences.tsx'
import { Profile } from './profile.tsx'
import '../../ui/layout/pane-link.css'
import './settings.css'

type Section = {
  id: string
  label: string
  about: string
  icon: ComponentType<SVGProps<SVGSVGElement>>
  content: ComponentType
}

const SECTIONS: readonly Section[] = [
  { id: 'profile', label: 'Profile', about: 'How others know you.', icon: CircleUser, content: Profile },
  {
    id: 'availability',
    label: 'Availability',
    about: 'Whether others see that you are there.',
    icon: Eye,
    content: Availability,
  },
  {
    id: 'preferences',
    label: 'Preferences',
    about: 'How things look and go, for you, on all devices.',
    icon: SlidersHorizontal,
    content: Preferences,
  },
  {
    id: 'notifications',
    label: 'Notifications',
    about: 'What you are told of, and how.',
    icon: Bell,
    content: Notifications,
  },
  {
    id: 'keyboard',
    label: 'Keyboard',
    about: 'Which keys do what, for you in this browser.',
    icon: KeyboardIcon,
    content: Keyboard,
  },
  {
    id: 'api-keys',
    label: 'API keys',
    about: 'What other programs sign in with as you.',
    icon: KeyRound,
    content: ApiKeys,
  },
  {
    id: 'bots',
    label: 'Bots',
    about: 'Accounts for your programs.',
    icon: Bot,
    content: Bots,
  },
  { id: 'password', label: 'Password', about: 'What you sign in with here.', icon: Lock, content: Password },
]

/** What is one's own to set, a section at a time. */
export function Settings(): ReactNode {
  const { section: id } = useParams({ from: '/settings/$section' })
  const { realm_name } = useOrganization()
  const section = SECTIONS.find((one) => one.id === id)
  if (section === undefined) return <Navigate to="/settings/$section" params={{ section: 'profile' }} replace />
  const Content = section.content
  return (
    <div className="settings">
      <nav className="settings-sections" aria-label="Settings" data-pane>
        {SECTIONS.map(({ id, label, icon: Icon }) => (
          <Link key={id} to="/settings/$section" params={{ section: id }} className="pane-link">
            <Icon className="icon" aria-hidden="true" />
            {label}
          </Link>
        ))}
      </nav>
      <div className="settings-content">
        <PageHead title={section.label} within={realm_name}>
          <p>{section.about}</p>
        </PageHead>
        <Content />
      </div>
    </div>
  )
}
