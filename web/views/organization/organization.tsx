import { Link, Navigate, useParams } from '@tanstack/react-router'
import BotIcon from 'lucide-react/icons/bot'
import Building2 from 'lucide-react/icons/building-2'
import Eye from 'lucide-react/icons/eye'
import IdCard from 'lucide-react/icons/id-card'
import Link2 from 'lucide-react/icons/link-2'
import Lock from 'lucide-react/icons/lock'
import MessagesSquare from 'lucide-react/icons/messages-square'
import ShieldCheck from 'lucide-react/icons/shield-check'
import Smile from 'lucide-react/icons/smile'
import SquareCode from 'lucide-react/icons/square-code'
import UserPlus from 'lucide-react/icons/user-plus'
import Users from 'lucide-react/icons/users'
import UsersRound from 'lucide-react/icons/users-round'
import type { ComponentType, ReactNode, SVGProps } from 'react'
import { useOrganization } from '../../store/organization.ts'
import { Empty } from '../../ui/feedback/empty.tsx'
import { PageHead } from '../../ui/layout/page.tsx'
import '../../ui/layout/pane-link.css'
import { Groups } from '../groups/groups.tsx'
import '../settings/settings.css'
import { AccountsPage } from './accounts-page.tsx'
import { BotsPage } from './bots-page.tsx'
import { CustomEmojiList } from './emoji/custom-emoji.tsx'
import { Joining } from './joining.tsx'
import { Linkifiers } from './links/linkifiers.tsx'
import { MessageSettings } from './message-settings.tsx'
import './organization.css'
import { t } from '../../text/t.ts'
import { OrganizationProfile } from './organization-profile.tsx'
import { Permissions } from './permissions.tsx'
import { Playgrounds } from './playgrounds/playgrounds.tsx'
import { PresencePolicy } from './presence-policy.tsx'
import { ProfileFields } from './profile-fields/profile-fields.tsx'

type Section = {
  id: string
  label: string
  about: string
  icon: ComponentType<SVGProps<SVGSVGElement>>
  content: ComponentType
  /** True if the section is also for users who are not administrators. */
  isForAll?: true
  /** True if the section is a table that uses the full width. */
  isWide?: true
}

const SECTIONS: readonly Section[] = [
  {
    id: 'profile',
    label: t('Profile'),
    about: t('The organization’s name and description.'),
    icon: Building2,
    content: OrganizationProfile,
  },
  {
    id: 'people',
    label: t('People'),
    about: t('Accounts, their roles, and deactivated accounts.'),
    icon: Users,
    content: AccountsPage,
    isWide: true,
  },
  {
    id: 'bots',
    label: t('Bots'),
    about: t('Bots, their types and owners, and deactivated bots.'),
    icon: BotIcon,
    content: BotsPage,
    isWide: true,
  },
  {
    id: 'profile-fields',
    label: t('Profile fields'),
    about: t('Fields that people fill in, shown on their profiles.'),
    icon: IdCard,
    content: ProfileFields,
  },
  {
    id: 'groups',
    label: t('Groups'),
    about: t('Sets of people to mention, add to channels or give permissions.'),
    icon: UsersRound,
    content: Groups,
    isForAll: true,
  },
  {
    id: 'emoji',
    label: t('Custom emoji'),
    about: t('Custom emoji for messages, reactions and statuses.'),
    icon: Smile,
    content: CustomEmojiList,
    isForAll: true,
  },
  {
    id: 'links',
    label: t('Linkifiers'),
    about: t('Turn text such as issue numbers into links.'),
    icon: Link2,
    content: Linkifiers,
  },
  {
    id: 'playgrounds',
    label: t('Playgrounds'),
    about: t('Sites where people can run code from messages.'),
    icon: SquareCode,
    content: Playgrounds,
  },
  {
    id: 'permissions',
    label: t('Permissions'),
    about: t('What each role can do in the organization.'),
    icon: ShieldCheck,
    content: Permissions,
  },
  {
    id: 'messages',
    label: t('Messages'),
    about: t('Editing, moving, and retention.'),
    icon: MessagesSquare,
    content: MessageSettings,
  },
  {
    id: 'joining',
    label: t('Joining'),
    about: t('How people join, and what they can change in their profiles.'),
    icon: UserPlus,
    content: Joining,
  },
  {
    id: 'presence',
    label: t('Availability'),
    about: t('Whether people see each other’s availability.'),
    icon: Eye,
    content: PresencePolicy,
  },
]

/** The administration pages, one section at a time. */
export function Administration(): ReactNode {
  const { section: id } = useParams({ from: '/organization/$section' })
  const { realm_name, is_admin } = useOrganization()
  const section = SECTIONS.find((one) => one.id === id)
  if (!is_admin && section?.isForAll === undefined)
    return (
      <Empty icon={<Lock />} title={t('Administrators only')} isPage>
        <p>{t('Ask an administrator of {organization} to make changes.', { organization: realm_name })}</p>
      </Empty>
    )
  if (section === undefined) return <Navigate to="/organization/$section" params={{ section: 'people' }} replace />
  const Content = section.content
  return (
    <div className="settings">
      <nav className="settings-sections" aria-label={t('Organization')} data-pane>
        {SECTIONS.filter(({ isForAll }) => is_admin || isForAll).map(({ id, label, icon: Icon }) => (
          <Link key={id} to="/organization/$section" params={{ section: id }} className="pane-link">
            <Icon className="icon" aria-hidden="true" />
            {label}
          </Link>
        ))}
      </nav>
      <div className={section.isWide ? 'organization-wide' : 'settings-content'}>
        <PageHead title={section.label} within={realm_name}>
          <p>{section.about}</p>
        </PageHead>
        <Content />
      </div>
    </div>
  )
}
