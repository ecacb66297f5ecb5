import { useNavigate } from '@tanstack/react-router'
import AtSign from 'lucide-react/icons/at-sign'
import CircleUser from 'lucide-react/icons/circle-user'
import Clock from 'lucide-react/icons/clock'
import Hash from 'lucide-react/icons/hash'
import InboxIcon from 'lucide-react/icons/inbox'
import Layers from 'lucide-react/icons/layers'
import Mail from 'lucide-react/icons/mail'
import MessagesSquare from 'lucide-react/icons/messages-square'
import PencilLine from 'lucide-react/icons/pencil-line'
import Plus from 'lucide-react/icons/plus'
import Search from 'lucide-react/icons/search'
import SmilePlus from 'lucide-react/icons/smile-plus'
import SquarePen from 'lucide-react/icons/square-pen'
import Star from 'lucide-react/icons/star'
import UserPlus from 'lucide-react/icons/user-plus'
import type { ComponentType, SVGProps } from 'react'
import { useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { rank, toSearchIndex } from '../../ui/text/rank.ts'
import { mayCreateChannels } from '../../views/channels/rights.ts'
import { ORGANIZATION_SECTIONS } from '../../views/organization/sections.ts'
import { SETTINGS_SECTIONS } from '../../views/settings/sections.ts'
import { useOrganizationPages } from '../sidebar/menu-items.tsx'
import type { Entry } from './entry.ts'

const MAX_SHOWN = 5

type Page = {
  readonly path: string
  readonly name: string
  readonly icon: ComponentType<SVGProps<SVGSVGElement>>
  readonly before?: string
  readonly also?: string
}

const VIEWS: readonly Page[] = [
  { path: '/inbox', name: t('Inbox'), icon: InboxIcon },
  { path: '/recent', name: t('Recent'), icon: Clock },
  { path: '/combined', name: t('Combined feed'), icon: Layers },
  { path: '/mentions', name: t('Mentions'), icon: AtSign },
  { path: '/starred', name: t('Starred'), icon: Star },
  { path: '/reactions', name: t('Reactions'), icon: SmilePlus },
  { path: '/direct-messages', name: t('Direct message feed'), icon: MessagesSquare },
  { path: '/search', name: t('Search messages'), icon: Search },
  { path: '/drafts', name: t('Drafts'), icon: PencilLine },
  { path: '/scheduled', name: t('Scheduled'), icon: PencilLine },
  { path: '/dm', name: t('New direct message'), icon: SquarePen },
]

const NEW_CHANNEL: Page = { path: '/channels/new', name: t('Create channel'), also: t('New channel'), icon: Plus }

/** The icons of the organization's pages by path. */
const ICONS: Readonly<Record<string, Page['icon']>> = {
  '/channels': Hash,
  '/people': CircleUser,
  '/invitations': UserPlus,
  '/outbox': Mail,
}

/** Returns a function that finds the views and settings that the user may open. An empty query finds only the views. */
export function usePageEntries(): (query: string) => Entry[] {
  const organization = useOrganization()
  const { pages: organizationPages } = useOrganizationPages()
  const navigate = useNavigate()
  const { is_admin, is_guest } = organization
  const creates = mayCreateChannels(organization)
  const views = [
    ...VIEWS,
    ...(creates.public || creates.private ? [NEW_CHANNEL] : []),
    ...organizationPages.flatMap(({ to, label }): Page[] => {
      const icon = ICONS[to]
      return icon === undefined ? [] : [{ path: to, name: label, icon }]
    }),
  ]
  const settings = SETTINGS_SECTIONS.map(
    ({ id, label, icon }): Page => ({ path: `/settings/${id}`, name: label, icon, before: t('Settings') }),
  )
  const administration = ORGANIZATION_SECTIONS.filter(({ isForAll }) => is_admin || (isForAll && !is_guest)).map(
    ({ id, label, icon }): Page => ({ path: `/organization/${id}`, name: label, icon, before: t('Organization') }),
  )
  const index = toSearchIndex([...views, ...settings, ...administration], ({ name, before, also }) =>
    [name, before, also].filter(Boolean).join(' '),
  )

  return (query) => {
    const pages = query === '' ? views : rank(index, query, MAX_SHOWN)
    return pages.map(({ path, name, icon: Icon, before, also }) => ({
      id: `page ${path}`,
      kind: 'page',
      name,
      before,
      also,
      icon: <Icon className="icon" aria-hidden="true" />,
      run: () => void navigate({ to: path }),
    }))
  }
}
