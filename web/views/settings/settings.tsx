import { Link, Navigate, useParams } from '@tanstack/react-router'
import type { ComponentType, ReactNode } from 'react'
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
import { SETTINGS_SECTIONS } from './sections.ts'
import '../../ui/layout/pane-link.css'
import './settings.css'
import { t } from '../../text/t.ts'

const CONTENT: Readonly<Record<string, ComponentType>> = {
  profile: Profile,
  availability: Availability,
  preferences: Preferences,
  notifications: Notifications,
  keyboard: Keyboard,
  'api-keys': ApiKeys,
  bots: Bots,
  password: Password,
}

/** The user's settings, one section at a time. */
export function Settings(): ReactNode {
  const { section: id } = useParams({ from: '/settings/$section' })
  const { realm_name } = useOrganization()
  const section = SETTINGS_SECTIONS.find((one) => one.id === id)
  const Content = CONTENT[id]
  if (section === undefined || Content === undefined)
    return <Navigate to="/settings/$section" params={{ section: 'profile' }} replace />
  return (
    <div className="settings">
      <nav className="settings-sections" aria-label={t('Settings')} data-pane>
        {SETTINGS_SECTIONS.map(({ id, label, icon: Icon }) => (
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
