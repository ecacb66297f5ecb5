import Hash from 'lucide-react/icons/hash'
import House from 'lucide-react/icons/house'
import Inbox from 'lucide-react/icons/inbox'
import MailOpen from 'lucide-react/icons/mail-open'
import Send from 'lucide-react/icons/send'
import Settings from 'lucide-react/icons/settings'
import Users from 'lucide-react/icons/users'
import type { ComponentType, SVGProps } from 'react'
import { t } from '../../text/t.ts'

export type NavItem = {
  to: '/' | '/inbox' | '/channels' | '/people' | '/invitations' | '/outbox' | '/settings'
  label: string
  icon: ComponentType<SVGProps<SVGSVGElement>>
  /** Returns true if the path belongs to this item. */
  holds: (path: string) => boolean
}

/** Pages that only some users can see. */
export type NavVisibility = { invitations: boolean; outbox: boolean }

/** Pages for managing channels, without the channels' messages. */
const ABOUT_CHANNELS = /^\/channels(?:$|\/$|\/new$|\/\d+\/settings)/

const CHAT = /^\/(?:channels|combined|dm|drafts|inbox|mentions|recent|scheduled|search|starred)(?:\/|$)/

const within = (to: NavItem['to']) => ({ to, holds: (path: string) => path.startsWith(to) })

const HOME: NavItem = {
  to: '/',
  label: t('Home'),
  icon: House,
  holds: (path) => path === '/' || (CHAT.test(path) && !ABOUT_CHANNELS.test(path)),
}
const INBOX: NavItem = { ...within('/inbox'), label: t('Inbox'), icon: Inbox }
const CHANNELS: NavItem = { ...within('/channels'), label: t('Channels'), icon: Hash }
const PEOPLE: NavItem = { ...within('/people'), label: t('People'), icon: Users }
const INVITATIONS: NavItem = { ...within('/invitations'), label: t('Invitations'), icon: Send }
const OUTBOX: NavItem = { ...within('/outbox'), label: t('Outbox'), icon: MailOpen }
const SETTINGS: NavItem = { ...within('/settings'), label: t('Settings'), icon: Settings }

/** Returns the items of the top bar. */
export const navItems = (sight: NavVisibility): NavItem[] => [
  HOME,
  { ...CHANNELS, holds: (path) => ABOUT_CHANNELS.test(path) },
  PEOPLE,
  ...rareNavItems(sight),
  SETTINGS,
]

/** The items of the bar on phones, besides the account menu. */
export const PHONE_NAV_ITEMS: readonly NavItem[] = [
  INBOX,
  CHANNELS,
  { ...PEOPLE, holds: (path) => PEOPLE.holds(path) || path.startsWith('/dm/') },
]

/** Returns the items that only some users see and no one needs daily. */
export const rareNavItems = ({ invitations, outbox }: NavVisibility): NavItem[] => [
  ...(invitations ? [INVITATIONS] : []),
  ...(outbox ? [OUTBOX] : []),
]
