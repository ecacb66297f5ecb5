import Bell from 'lucide-react/icons/bell'
import Bot from 'lucide-react/icons/bot'
import CircleUser from 'lucide-react/icons/circle-user'
import Eye from 'lucide-react/icons/eye'
import KeyRound from 'lucide-react/icons/key-round'
import KeyboardIcon from 'lucide-react/icons/keyboard'
import Lock from 'lucide-react/icons/lock'
import SlidersHorizontal from 'lucide-react/icons/sliders-horizontal'
import type { ComponentType, SVGProps } from 'react'
import { t } from '../../text/t.ts'

type SettingsSection = {
  id: string
  label: string
  about: string
  icon: ComponentType<SVGProps<SVGSVGElement>>
}

/** The pages of personal settings, in the order of their links. */
export const SETTINGS_SECTIONS: readonly SettingsSection[] = [
  {
    id: 'profile',
    label: t('Profile'),
    about: t('Your name, picture and details.'),
    icon: CircleUser,
  },
  {
    id: 'availability',
    label: t('Availability'),
    about: t('What others see about your activity.'),
    icon: Eye,
  },
  {
    id: 'preferences',
    label: t('Preferences'),
    about: t('How Parley looks and works for you, on all devices.'),
    icon: SlidersHorizontal,
  },
  {
    id: 'notifications',
    label: t('Notifications'),
    about: t('When and how Parley notifies you.'),
    icon: Bell,
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
  { id: 'password', label: t('Password'), about: t('Your login password.'), icon: Lock },
]
