import Bell from 'lucide-react/icons/bell'
import Bot from 'lucide-react/icons/bot'
import Building2 from 'lucide-react/icons/building-2'
import ChartColumn from 'lucide-react/icons/chart-column'
import CircleUser from 'lucide-react/icons/circle-user'
import Download from 'lucide-react/icons/download'
import Eye from 'lucide-react/icons/eye'
import Fingerprint from 'lucide-react/icons/fingerprint-pattern'
import FolderSync from 'lucide-react/icons/folder-sync'
import HeartPulse from 'lucide-react/icons/heart-pulse'
import IdCard from 'lucide-react/icons/id-card'
import Info from 'lucide-react/icons/info'
import KeyRound from 'lucide-react/icons/key-round'
import KeyboardIcon from 'lucide-react/icons/keyboard'
import Link2 from 'lucide-react/icons/link-2'
import Lock from 'lucide-react/icons/lock'
import LogIn from 'lucide-react/icons/log-in'
import Megaphone from 'lucide-react/icons/megaphone'
import MessageSquare from 'lucide-react/icons/message-square'
import MessagesSquare from 'lucide-react/icons/messages-square'
import Paperclip from 'lucide-react/icons/paperclip'
import ScrollText from 'lucide-react/icons/scroll-text'
import ShieldCheck from 'lucide-react/icons/shield-check'
import SlidersHorizontal from 'lucide-react/icons/sliders-horizontal'
import Smile from 'lucide-react/icons/smile'
import SquareCode from 'lucide-react/icons/square-code'
import UserCog from 'lucide-react/icons/user-cog'
import UserPlus from 'lucide-react/icons/user-plus'
import UserX from 'lucide-react/icons/user-x'
import Users from 'lucide-react/icons/users'
import UsersRound from 'lucide-react/icons/users-round'
import type { ComponentType, SVGProps } from 'react'
import { t } from '../text/t.ts'

export type SettingsSection = {
  id: string
  label: string
  about: string
  icon: ComponentType<SVGProps<SVGSVGElement>>
  /** True if the section is a table that uses the full width. */
  isWide?: true
}

/** The pages of personal settings, in the order in which the navigation shows them. */
export const SETTINGS_SECTIONS: readonly SettingsSection[] = [
  {
    id: 'profile',
    label: t('Profile'),
    about: t('Your name, picture and details.'),
    icon: CircleUser,
  },
  {
    id: 'account',
    label: t('Account and privacy'),
    about: t('Your email address, password and logins.'),
    icon: Lock,
  },
  {
    id: 'security',
    label: t('Security'),
    about: t('Two-step login with an authenticator app or passkeys.'),
    icon: Fingerprint,
  },
  {
    id: 'availability',
    label: t('Availability'),
    about: t('Show or hide your activity.'),
    icon: Eye,
  },
  {
    id: 'preferences',
    label: t('Preferences'),
    about: t('The appearance and behavior of Parley.'),
    icon: SlidersHorizontal,
  },
  {
    id: 'notifications',
    label: t('Notifications'),
    about: t('How and when Parley notifies you.'),
    icon: Bell,
  },
  {
    id: 'topics',
    label: t('Topics'),
    about: t('The topics that you follow or have muted.'),
    icon: MessageSquare,
  },
  {
    id: 'muted-people',
    label: t('Muted users'),
    about: t('People whose messages are hidden from you.'),
    icon: UserX,
  },
  {
    id: 'files',
    label: t('Uploaded files'),
    about: t('Your files, and the messages that contain them.'),
    icon: Paperclip,
  },
  {
    id: 'keyboard',
    label: t('Keyboard'),
    about: t('Keyboard shortcuts in this browser.'),
    icon: KeyboardIcon,
  },
  {
    id: 'api-keys',
    label: t('API keys'),
    about: t('Keys that let other programs use your account.'),
    icon: KeyRound,
  },
  {
    id: 'bots',
    label: t('Bots'),
    about: t('Accounts for your programs.'),
    icon: Bot,
  },
  {
    id: 'about',
    label: t('About Parley'),
    about: t('The organization, and the version that this server runs.'),
    icon: Info,
  },
]

type OrganizationSection = SettingsSection & {
  /** True if the section is also for users who are not administrators. */
  isForAll?: true
  /** True if the section is only for owners. Administrators find it, but cannot use it. */
  isForOwners?: true
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
    icon: Bot,
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
    id: 'sign-in',
    label: t('Sign-in'),
    about: t('Passwords, and the services with which people sign in.'),
    icon: LogIn,
    isForOwners: true,
  },
  {
    id: 'new-users',
    label: t('New users'),
    about: t('Default settings for new accounts. Existing accounts keep theirs.'),
    icon: UserCog,
  },
  {
    id: 'scim',
    label: t('Provisioning (SCIM)'),
    about: t('Let a directory manage accounts and groups.'),
    icon: FolderSync,
    isForOwners: true,
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
    id: 'health',
    label: t('Health'),
    about: t('What works, and what to do about the rest.'),
    icon: HeartPulse,
  },
  {
    id: 'audit',
    label: t('Audit log'),
    about: t('Who changed what. It never contains messages or passwords.'),
    icon: ScrollText,
    isWide: true,
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
