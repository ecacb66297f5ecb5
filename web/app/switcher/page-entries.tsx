import { useNavigate } from '@tanstack/react-router'
import AtSign from 'lucide-react/icons/at-sign'
import CircleUser from 'lucide-react/icons/circle-user'
import Clock from 'lucide-react/icons/clock'
import Hash from 'lucide-react/icons/hash'
import InboxIcon from 'lucide-react/icons/inbox'
import Layers from 'lucide-react/icons/layers'
import Mail from 'lucide-react/icons/mail'
import PencilLine from 'lucide-react/icons/pencil-line'
import Plus from 'lucide-react/icons/plus'
import SquarePen from 'lucide-react/icons/square-pen'
import Star from 'lucide-react/icons/star'
import UserPlus from 'lucide-react/icons/user-plus'
import { type ComponentType, type SVGProps, useMemo } from 'react'
import { useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { rank, toSearchIndex } from '../../views/composer/completion/rank.ts'
import { ORGANIZATION_SECTIONS } from '../../views/organization/sections.ts'
import { SETTINGS_SECTIONS } from '../../views/settings/sections.ts'
import type { Entry } from './entry.ts'

const MAX_SHOWN = 5

type Page = {
  readonly path: string
  readonly name: string
  readonly icon: ComponentType<SVGProps<SVGSVGElement>>
  readonly before?: string
}

const VIEWS: readonly Page[] = [
  { path: '/inbox', name: t('Inbox'), icon: InboxIcon },
  { path: '/recent', name: t('Recent'), icon: Clock },
  { path: '/combined', name: t('Combined feed'), icon: Layers },
  { path: '/mentions', name: t('Mentions'), icon: AtSign },
  { path: '/starred', name: t('Starred'), icon: Star },
  { path: '/drafts', name: t('Drafts'), icon: PencilLine },
  { path: '/scheduled', name: t('Scheduled'), icon: PencilLine },
  { path: '/channels', name: t('All channels'), icon: Hash },
  { path: '/channels/new', name: t('New channel'), icon: Plus },
  { path: '/dm', name: t('New direct message'), icon: SquarePen },
  { path: '/people', name: t('People'), icon: CircleUser },
]

const FOR_ADMINISTRATORS: readonly Page[] = [
  { path: '/invitations', name: t('Invitations'), icon: UserPlus },
  { path: '/outbox', name: t('Outbox'), icon: Mail },
]

/** Returns a function that finds views, and pages of settings; without a name, the views. */
export function usePageEntries(): (query: string) => Entry[] {
  const { is_admin } = useOrganization()
  const navigate = useNavigate()
  const index = useMemo(() => {
    const settings = SETTINGS_SECTIONS.map(
      ({ id, label, icon }): Page => ({ path: `/settings/${id}`, name: label, icon, before: t('Settings') }),
    )
    const organization = ORGANIZATION_SECTIONS.filter(({ isForAll }) => is_admin || isForAll).map(
      ({ id, label, icon }): Page => ({ path: `/organization/${id}`, name: label, icon, before: t('Organization') }),
    )
    const pages = [...VIEWS, ...(is_admin ? FOR_ADMINISTRATORS : []), ...settings, ...organization]
    return toSearchIndex(pages, ({ name, before }) => (before === undefined ? name : `${name} ${before}`))
  }, [is_admin])

  return (query) => {
    const pages = query === '' ? VIEWS : rank(index, query, MAX_SHOWN)
    return pages.map(({ path, name, icon: Icon, before }) => ({
      id: `page ${path}`,
      name,
      before,
      icon: <Icon className="icon" aria-hidden="true" />,
      run: () => void navigate({ to: path }),
    }))
  }
}
