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
import Plug from 'lucide-react/icons/plug'
import Plus from 'lucide-react/icons/plus'
import Search from 'lucide-react/icons/search'
import SmilePlus from 'lucide-react/icons/smile-plus'
import SquarePen from 'lucide-react/icons/square-pen'
import Star from 'lucide-react/icons/star'
import UserPlus from 'lucide-react/icons/user-plus'
import Zap from 'lucide-react/icons/zap'
import { type ComponentType, type SVGProps, useMemo } from 'react'
import { mayCreateChannels } from '../../channels/channel.ts'
import { ORGANIZATION_SECTIONS, SETTINGS_SECTIONS } from '../../settings/sections.ts'
import { useOrganizationPages } from '../../sidebar/menu-items.tsx'
import { useOrganization } from '../../store/organization.ts'
import { currentKey, GLOBAL_SHORTCUTS, keyLabel, type PageKey, useShortcutSettings } from '../../store/shortcuts.ts'
import { t } from '../../text/t.ts'
import { ShortcutKey } from '../../ui/menu.tsx'
import { rank, toSearchIndex } from '../../ui/rank.ts'
import type { ShortcutActions } from '../shortcuts/use-shortcut-actions.ts'
import type { Entry } from './entries.ts'

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
  '/add-integration': Plug,
}

/** Other words that find pages of the organization, by path. */
const ALSO: Readonly<Record<string, Pick<Page, 'also'>>> = { '/add-integration': { also: t('Webhooks') } }

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
      return icon === undefined ? [] : [{ path: to, name: label, icon, ...ALSO[to] }]
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

/** Actions of menus that the quick switcher offers as commands. */
export type AccountActions = { readonly setStatus: () => void; readonly logOut: () => void }

/** A command. `key` is the default key of its shortcut, if it has one. */
type Command = { readonly label: string; readonly key?: PageKey; readonly run: () => void }

/** Returns a function that finds commands by name. An empty query finds all commands. The entries show their keys. */
export function useCommandEntries(actions: ShortcutActions, account: AccountActions): (query: string) => Entry[] {
  const choice = useShortcutSettings()
  const navigate = useNavigate()
  const { user_id, user_status } = useOrganization('user_id', 'user_status')
  const { invites } = useOrganizationPages()
  const hasStatus = user_status[user_id] !== undefined
  const commands = useMemo(
    (): readonly Command[] => [
      ...GLOBAL_SHORTCUTS.map(({ key, label }) => ({ label, key, run: actions[key] })),
      { label: hasStatus ? t('Change status…') : t('Set status…'), run: account.setStatus },
      ...(invites === null
        ? []
        : [
            {
              label: t('Invite people'),
              run: () => void navigate({ to: '.', search: (search: object) => ({ ...search, invite: invites }) }),
            },
          ]),
      { label: t('Log out'), run: account.logOut },
    ],
    [actions, account, navigate, invites, hasStatus],
  )
  const index = useMemo(() => toSearchIndex(commands, ({ label }) => label), [commands])
  return (query) =>
    (query === '' ? commands : rank(index, query, MAX_SHOWN)).map(({ key, label, run }) => ({
      id: `command ${key ?? label}`,
      kind: 'command',
      name: label,
      icon: <Zap className="icon" aria-hidden="true" />,
      detail: choice.areOn && key !== undefined ? <ShortcutKey name={keyLabel(currentKey(choice, key))} /> : undefined,
      run,
    }))
}
