import Hash from 'lucide-react/icons/hash'
import House from 'lucide-react/icons/house'
import Inbox from 'lucide-react/icons/inbox'
import MailOpen from 'lucide-react/icons/mail-open'
import Send from 'lucide-react/icons/send'
import Settings from 'lucide-react/icons/settings'
import Users from 'lucide-react/icons/users'
import type { ComponentType, SVGProps } from 'react'

export type Place = {
  to: '/' | '/inbox' | '/channels' | '/people' | '/invitations' | '/outbox' | '/settings'
  label: string
  icon: ComponentType<SVGProps<SVGSVGElement>>
  /** Whether a path is in it. */
  holds: (path: string) => boolean
}

/** What one may see beyond what everybody may. */
export type Sight = { invitations: boolean; outbox: boolean }

/** The pages about channels, not those in which one reads them. */
const ABOUT_CHANNELS = /^\/channels(?:$|\/$|\/new$|\/\d+\/settings)/

const CHAT = /^\/(?:channels|combined|dm|drafts|inbox|mentions|recent|scheduled|search|starred)(?:\/|$)/

const within = (to: Place['to']) => ({ to, holds: (path: string) => path.startsWith(to) })

const HOME: Place = {
  to: '/',
  label: 'Home',
  icon: House,
  holds: (path) => path === '/' || (CHAT.test(path) && !ABOUT_CHANNELS.test(path)),
}
const INBOX: Place = { ...within('/inbox'), label: 'Inbox', icon: Inbox }
const CHANNELS: Place = { ...within('/channels'), label: 'Channels', icon: Hash }
const PEOPLE: Place = { ...within('/people'), label: 'People', icon: Users }
const INVITATIONS: Place = { ...within('/invitations'), label: 'Invitations', icon: Send }
const OUTBOX: Place = { ...within('/outbox'), label: 'Outbox', icon: MailOpen }
const SETTINGS: Place = { ...within('/settings'), label: 'Settings', icon: Settings }

/** The pages that a bar across the window leads to. */
export const placesInBar = (sight: Sight): Place[] => [
  HOME,
  { ...CHANNELS, holds: (path) => ABOUT_CHANNELS.test(path) },
  PEOPLE,
  ...rarePlaces(sight),
  SETTINGS,
]

/** The pages that a phone's bar has room for, beside what is one's own. */
export const PLACES_ON_PHONE: readonly Place[] = [
  INBOX,
  CHANNELS,
  { ...PEOPLE, holds: (path) => PEOPLE.holds(path) || path.startsWith('/dm/') },
]

/** The pages that few see and nobody needs each day. */
export const rarePlaces = ({ invitations, outbox }: Sight): Place[] => [
  ...(invitations ? [INVITATIONS] : []),
  ...(outbox ? [OUTBOX] : []),
]
