import Bell from 'lucide-react/icons/bell'
import Bot from 'lucide-react/icons/bot'
import CircleUser from 'lucide-react/icons/circle-user'
import Eye from 'lucide-react/icons/eye'
import Info from 'lucide-react/icons/info'
import KeyRound from 'lucide-react/icons/key-round'
import KeyboardIcon from 'lucide-react/icons/keyboard'
import Lock from 'lucide-react/icons/lock'
import MessageSquare from 'lucide-react/icons/message-square'
import Paperclip from 'lucide-react/icons/paperclip'
import SlidersHorizontal from 'lucide-react/icons/sliders-horizontal'
import UserX from 'lucide-react/icons/user-x'
import type { ComponentType, SVGProps } from 'react'
import { t } from '../../text/t.ts'

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
