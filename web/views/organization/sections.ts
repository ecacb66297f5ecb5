import BotIcon from 'lucide-react/icons/bot'
import Building2 from 'lucide-react/icons/building-2'
import ChartColumn from 'lucide-react/icons/chart-column'
import Download from 'lucide-react/icons/download'
import Eye from 'lucide-react/icons/eye'
import IdCard from 'lucide-react/icons/id-card'
import Link2 from 'lucide-react/icons/link-2'
import Megaphone from 'lucide-react/icons/megaphone'
import MessagesSquare from 'lucide-react/icons/messages-square'
import ShieldCheck from 'lucide-react/icons/shield-check'
import Smile from 'lucide-react/icons/smile'
import SquareCode from 'lucide-react/icons/square-code'
import UserCog from 'lucide-react/icons/user-cog'
import UserPlus from 'lucide-react/icons/user-plus'
import Users from 'lucide-react/icons/users'
import UsersRound from 'lucide-react/icons/users-round'
import { t } from '../../text/t.ts'
import type { SettingsSection } from '../settings/sections.ts'

type OrganizationSection = SettingsSection & {
  /** True if the section is also for users who are not administrators. */
  isForAll?: true
}

/** The administration pages, in the order in which the navigation shows them. */
export const ORGANIZATION_SECTIONS: readonly OrganizationSection[] = [
  {
    id: 'profile',
    label: t('Profile'),
    about: t('The organization’s name, description and pictures.'),
    icon: Building2,
  },
  {
    id: 'people',
    label: t('People'),
    about: t('Accounts, their roles, and deactivated accounts.'),
    icon: Users,
    isWide: true,
  },
  {
    id: 'bots',
    label: t('Bots'),
    about: t('Bots, their types and owners, and deactivated bots.'),
    icon: BotIcon,
    isWide: true,
  },
  {
    id: 'profile-fields',
    label: t('Profile fields'),
    about: t('Fields that people fill in, shown on their profiles.'),
    icon: IdCard,
  },
  {
    id: 'groups',
    label: t('Groups'),
    about: t('Groups of people you can mention, add to channels, or give permissions to.'),
    icon: UsersRound,
    isForAll: true,
  },
  {
    id: 'emoji',
    label: t('Custom emoji'),
    about: t('Custom emoji for messages, reactions and statuses.'),
    icon: Smile,
    isForAll: true,
  },
  {
    id: 'links',
    label: t('Linkifiers'),
    about: t('Turn text such as issue numbers into links.'),
    icon: Link2,
  },
  {
    id: 'playgrounds',
    label: t('Playgrounds'),
    about: t('Sites where people can run code from messages.'),
    icon: SquareCode,
  },
  {
    id: 'permissions',
    label: t('Permissions'),
    about: t('Permissions of each role in the organization.'),
    icon: ShieldCheck,
  },
  {
    id: 'messages',
    label: t('Messages'),
    about: t('Editing, retention, previews and calls.'),
    icon: MessagesSquare,
  },
  {
    id: 'announcements',
    label: t('Announcements'),
    about: t('Channels for announcements, and automatic messages and emails.'),
    icon: Megaphone,
  },
  {
    id: 'joining',
    label: t('Joining'),
    about: t('Rules for joining, and for changing profiles.'),
    icon: UserPlus,
  },
  {
    id: 'new-users',
    label: t('New users'),
    about: t('Default settings for new accounts. Existing accounts keep theirs.'),
    icon: UserCog,
  },
  {
    id: 'presence',
    label: t('Availability'),
    about: t('Show or hide everyone’s availability.'),
    icon: Eye,
  },
  {
    id: 'usage',
    label: t('Usage'),
    about: t('People, messages and storage over time.'),
    icon: ChartColumn,
  },
  {
    id: 'exports',
    label: t('Data exports'),
    about: t(
      'Download the organization’s data, to keep it or to move to another Parley server. Exports are deleted after 7 days.',
    ),
    icon: Download,
    isWide: true,
  },
]
