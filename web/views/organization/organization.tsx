import { Navigate, useParams } from '@tanstack/react-router'
import Lock from 'lucide-react/icons/lock'
import type { ComponentType, ReactNode } from 'react'
import { useOrganization } from '../../store/organization.ts'
import { useMedia } from '../../ui/layout/use-media.ts'
import { PHONE } from '../../ui/layout/widths.ts'
import { Groups } from '../groups/groups.tsx'
import { NotFound } from '../not-found.tsx'
import { EmptyPage } from '../page-frame.tsx'
import { SettingsFrame } from '../settings/settings-frame.tsx'
import { AccountsPage } from './accounts-page.tsx'
import { Announcements } from './announcements.tsx'
import { BotsPage } from './bots-page.tsx'
import { CustomEmojiList } from './emoji/custom-emoji.tsx'
import { DataExports } from './exports/exports.tsx'
import { Joining } from './joining.tsx'
import { Linkifiers } from './linkifiers/linkifiers.tsx'
import { MessageSettings } from './message-settings.tsx'
import { NewUsers } from './new-users/new-users.tsx'
import './organization.css'
import { t } from '../../text/t.ts'
import { OrganizationProfile } from './organization-profile.tsx'
import { Permissions } from './permissions.tsx'
import { Playgrounds } from './playgrounds/playgrounds.tsx'
import { PresencePolicy } from './presence-policy.tsx'
import { ProfileFields } from './profile-fields/profile-fields.tsx'
import { ORGANIZATION_SECTIONS } from './sections.ts'
import { UsagePage } from './usage/usage.tsx'

const CONTENT: Readonly<Record<string, ComponentType>> = {
  profile: OrganizationProfile,
  people: AccountsPage,
  bots: BotsPage,
  'profile-fields': ProfileFields,
  groups: Groups,
  emoji: CustomEmojiList,
  links: Linkifiers,
  playgrounds: Playgrounds,
  permissions: Permissions,
  messages: MessageSettings,
  announcements: Announcements,
  joining: Joining,
  'new-users': NewUsers,
  presence: PresencePolicy,
  usage: UsagePage,
  exports: DataExports,
}

/** The administration pages, one section at a time. */
export function Administration(): ReactNode {
  const { section: id } = useParams({ strict: false })
  const { realm_name, is_admin } = useOrganization()
  const isPhone = useMedia(PHONE)
  const sections = ORGANIZATION_SECTIONS.filter(({ isForAll }) => is_admin || isForAll)
  if (id === undefined && isPhone)
    return <SettingsFrame area="organization" title={t('Organization')} sections={sections} section={null} />
  const section = ORGANIZATION_SECTIONS.find((one) => one.id === id)
  const Content = id === undefined ? undefined : CONTENT[id]
  if (id === undefined)
    return <Navigate to="/organization/$section" params={{ section: is_admin ? 'people' : 'groups' }} replace />
  if (section === undefined || Content === undefined) return <NotFound />
  if (!sections.includes(section))
    return (
      <EmptyPage icon={<Lock />} title={t('Administrators only')}>
        <p>{t('Ask an administrator of {organization} to make changes.', { organization: realm_name })}</p>
      </EmptyPage>
    )
  return (
    <SettingsFrame area="organization" title={t('Organization')} sections={sections} section={section}>
      <Content />
    </SettingsFrame>
  )
}
