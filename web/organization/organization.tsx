import { Link, Navigate, useParams } from '@tanstack/react-router'
import Lock from 'lucide-react/icons/lock'
import type { ComponentType, ReactNode } from 'react'
import { Groups } from '../directory/groups.tsx'
import * as css from '../forms/settings.module.css'
import { EmptyPage, NotFound } from '../navigation/page.tsx'
import { ORGANIZATION_SECTIONS } from '../settings/sections.ts'
import { SettingsFrame } from '../settings/settings-frame.tsx'
import { useOrganization } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { Empty } from '../ui/page-states.tsx'
import { PHONE, useMedia } from '../ui/use-media.ts'
import { AccountsPage, BotsPage } from './pages/accounts-page.tsx'
import { Announcements } from './pages/announcements.tsx'
import { AuditLog } from './pages/audit-log.tsx'
import { CustomEmojiList } from './pages/custom-emoji.tsx'
import { DataExports } from './pages/exports.tsx'
import { HealthPage } from './pages/health.tsx'
import { Joining } from './pages/joining.tsx'
import { Linkifiers } from './pages/linkifiers.tsx'
import { MessageSettings } from './pages/message-settings.tsx'
import { NewUsers } from './pages/new-users.tsx'
import { OrganizationProfile } from './pages/organization-profile.tsx'
import { Permissions } from './pages/permissions.tsx'
import { Playgrounds } from './pages/playgrounds.tsx'
import { ProfileFields } from './pages/profile-fields.tsx'
import { SavedCheck } from './pages/saved-fields.tsx'
import { Scim } from './pages/scim.tsx'
import { SignIn } from './pages/sign-in.tsx'
import { UsagePage } from './pages/usage.tsx'

/** The setting that shows or hides everyone's availability. */
export function PresencePolicy(): ReactNode {
  return (
    <section className={css.settingsGroup} aria-label={t('Availability')}>
      <SavedCheck name="presence_disabled" hint={t('If off, each person can still hide their own availability.')}>
        {t('Hide everyone’s availability')}
      </SavedCheck>
    </section>
  )
}

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
  'sign-in': SignIn,
  scim: Scim,
  presence: PresencePolicy,
  usage: UsagePage,
  health: HealthPage,
  audit: AuditLog,
  exports: DataExports,
}

/** The administration pages, one section at a time. */
export function Administration(): ReactNode {
  const { section: id } = useParams({ strict: false })
  const { realm_name, is_admin, is_owner } = useOrganization('realm_name', 'is_admin', 'is_owner')
  const isPhone = useMedia(PHONE)
  const sections = ORGANIZATION_SECTIONS.filter(({ isForAll }) => is_admin || isForAll)
  if (id === undefined && isPhone)
    return <SettingsFrame area="organization" title={t('Organization')} sections={sections} section={null} />
  const section = ORGANIZATION_SECTIONS.find((one) => one.id === id)
  const Content = id === undefined ? undefined : CONTENT[id]
  if (id === undefined)
    return <Navigate to="/organization/$section" params={{ section: is_admin ? 'people' : 'groups' }} replace />
  if (section === undefined || Content === undefined) return <NotFound />
  const ownersOnly = {
    icon: <Lock />,
    title: t('Owners only'),
    children: (
      <>
        <p>{t('Only owners of {organization} can open this page.', { organization: realm_name })}</p>
        <Link to="/organization" className="button button-primary">
          {t('Back to Organization')}
        </Link>
      </>
    ),
  }
  const isRefused = section.isForOwners === true && !is_owner
  if (isRefused && !is_admin) return <EmptyPage {...ownersOnly} />
  if (!sections.includes(section))
    return (
      <EmptyPage icon={<Lock />} title={t('Administrators only')}>
        <p>{t('Ask an administrator of {organization} to make changes.', { organization: realm_name })}</p>
      </EmptyPage>
    )
  return (
    <SettingsFrame area="organization" title={t('Organization')} sections={sections} section={section}>
      {isRefused ? <Empty {...ownersOnly} /> : <Content />}
    </SettingsFrame>
  )
}
