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
import { t } from '../../text/t.ts'

type Section = {
  id: string
  label: string
  about: string
  icon: ComponentType<SVGProps<SVGSVGElement>>
  content: ComponentType
}

const SECTIONS: readonly Section[] = [
  {
    id: 'profile',
    label: t('Profile'),
    about: t('Your name, picture and details.'),
    icon: CircleUser,
    content: Profile,
  },
  {
    id: 'availability',
    label: t('Availability'),
    about: t('What others see about your activity.'),
    icon: Eye,
    content: Availability,
  },
  {
    id: 'preferences',
    label: t('Preferences'),
    about: t('How Parley looks and works for you, on all devices.'),
    icon: SlidersHorizontal,
    content: Preferences,
  },
  {
    id: 'notifications',
    label: t('Notifications'),
    about: t('What notifies you, and how.'),
    icon: Bell,
    content: Notifications,
  },
  {
    id: 'keyboard',
    label: t('Keyboard'),
    about: t('Keyboard shortcuts in this browser.'),
    icon: KeyboardIcon,
    content: Keyboard,
  },
  {
    id: 'api-keys',
    label: t('API keys'),
    about: t('Keys that let other programs use your account.'),
    icon: KeyRound,
    content: ApiKeys,
  },
  {
    id: 'bots',
    label: t('Bots'),
    about: t('Accounts for your programs.'),
    icon: Bot,
    content: Bots,
  },
  { id: 'password', label: t('Password'), about: t('Your login password.'), icon: Lock, content: Password },
]

/** The user's settings, one section at a time. */
export function Settings(): ReactNode {
  const { section: id } = useParams({ from: '/settings/$section' })
  const { realm_name } = useOrganization()
  const section = SECTIONS.find((one) => one.id === id)
  if (section === undefined) return <Navigate to="/settings/$section" params={{ section: 'profile' }} replace />
  const Content = section.content
  return (
    <div className="settings">
      <nav className="settings-sections" aria-label={t('Settings')} data-pane>
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
