import { Navigate, useParams } from '@tanstack/react-router'
import type { ComponentType, ReactNode } from 'react'
import { t } from '../../text/t.ts'
import { useMedia } from '../../ui/layout/use-media.ts'
import { PHONE } from '../../ui/layout/widths.ts'
import { NotFound } from '../not-found.tsx'
import { About } from './about.tsx'
import { Account } from './account/account.tsx'
import { ApiKeys } from './api-keys.tsx'
import { Availability } from './availability.tsx'
import { Bots } from './bots/bots.tsx'
import { Files } from './files/files.tsx'
import { Keyboard } from './keyboard.tsx'
import { MutedPeople } from './muted-people.tsx'
import { Notifications } from './notifications/notifications.tsx'
import { Preferences } from './preferences.tsx'
import { Profile } from './profile.tsx'
import { SETTINGS_SECTIONS } from './sections.ts'
import { SettingsFrame } from './settings-frame.tsx'
import { TopicSettings } from './topics/topic-settings.tsx'

const CONTENT: Readonly<Record<string, ComponentType>> = {
  profile: Profile,
  account: Account,
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
