import { Navigate, useParams } from '@tanstack/react-router'
import type { ComponentType, ReactNode } from 'react'
import { NotFound } from '../navigation/page.tsx'
import { t } from '../text/t.ts'
import { PHONE, useMedia } from '../ui/use-media.ts'
import { About } from './pages/about.tsx'
import { Account } from './pages/account.tsx'
import { ApiKeys } from './pages/api-keys.tsx'
import { Availability } from './pages/availability.tsx'
import { Bots } from './pages/bots.tsx'
import { Files } from './pages/files.tsx'
import { Keyboard } from './pages/keyboard.tsx'
import { MutedPeople } from './pages/muted-people.tsx'
import { Notifications } from './pages/notifications.tsx'
import { Preferences } from './pages/preferences.tsx'
import { Profile } from './pages/profile.tsx'
import { Security } from './pages/security.tsx'
import { TopicSettings } from './pages/topic-settings.tsx'
import { SETTINGS_SECTIONS } from './sections.ts'
import { SettingsFrame } from './settings-frame.tsx'

const CONTENT: Readonly<Record<string, ComponentType>> = {
  profile: Profile,
  account: Account,
  security: Security,
  availability: Availability,
  preferences: Preferences,
  notifications: Notifications,
  topics: TopicSettings,
  'muted-people': MutedPeople,
  files: Files,
  keyboard: Keyboard,
  'api-keys': ApiKeys,
  bots: Bots,
  about: About,
}

/** Sections that have another name in older links. */
const RENAMED: Readonly<Record<string, string>> = { password: 'account' }

/** The user's settings, one section at a time. */
export function Settings(): ReactNode {
  const { section: id } = useParams({ strict: false })
  const isPhone = useMedia(PHONE)
  const frame = { area: 'settings', title: t('Settings'), sections: SETTINGS_SECTIONS } as const
  if (id === undefined && isPhone) return <SettingsFrame {...frame} section={null} />
  const current = id === undefined ? 'profile' : RENAMED[id]
  if (current !== undefined) return <Navigate to="/settings/$section" params={{ section: current }} replace />
  const section = SETTINGS_SECTIONS.find((one) => one.id === id)
  const Content = id === undefined ? undefined : CONTENT[id]
  if (section === undefined || Content === undefined) return <NotFound />
  return (
    <SettingsFrame {...frame} section={section}>
      <Content />
    </SettingsFrame>
  )
}
