import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { pageUserId } from '../api/session.ts'
import { holdTyping, leaveHeldTyping } from '../browser/typed-ahead.ts'
import type { ChannelFilter, ChannelOrder } from '../channels/listing.ts'
import type { MessagePosition } from '../conversation/use-scroll-anchor.ts'
import { hashLocation } from '../navigation/hash-links.ts'
import { readNarrow, readNarrowSearch } from '../navigation/narrow-location.ts'
import { ChatLayout, EmptyHeader, NotFound } from '../navigation/page.tsx'
import { t } from '../text/t.ts'
import { loadPart } from '../ui/load-part.ts'
import { Loading } from '../ui/page-states.tsx'
import { ErrorScreen } from './error-screen.tsx'
import { Home } from './redirects.tsx'
import { Shell } from './shell.tsx'

/** The placeholder for a page that is loading. */
function PendingScreen(): ReactNode {
  return (
    <ChatLayout>
      <EmptyHeader />
      <Loading label={t('Loading page')} lines={6} />
    </ChatLayout>
  )
}

/** Search parameters that every page accepts. */
type PageSearch = { invite?: 'email' | 'link' }

/** The name of the setting to which a settings page scrolls. */
type SettingSearch = { setting?: string }

const readSetting = (setting: unknown): SettingSearch => (typeof setting === 'string' ? { setting } : {})

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  validateSearch: ({ invite }): PageSearch => (invite === 'email' || invite === 'link' ? { invite } : {}),
})

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  // Links of other Zulip clients name their target in the fragment.
  beforeLoad: ({ location }) => {
    // The organization, with the user's own id, may not be loaded yet.
    const found = hashLocation(location.hash, pageUserId() ?? 0)
    if (found !== null) throw redirect({ to: found.to, search: found.search, hash: '', replace: true })
  },
  component: Home,
})

const channels = createRoute({
  getParentRoute: () => root,
  path: '/channels',
  validateSearch: ({ show, sort }): { show?: ChannelFilter; sort?: ChannelOrder } => ({
    ...((show === 'all' || show === 'subscribed' || show === 'available' || show === 'archived') && { show }),
    ...((sort === 'name' || sort === 'traffic' || sort === 'people' || sort === 'newest') && { sort }),
  }),
  component: lazyRouteComponent(() => loadPart(() => import('../channels/channels.tsx')), 'Channels'),
})

const newChannel = createRoute({
  getParentRoute: () => root,
  path: '/channels/new',
  component: lazyRouteComponent(() => loadPart(() => import('../channels/new-channel.tsx')), 'NewChannel'),
})

const anyChannelSettings = createRoute({
  getParentRoute: () => root,
  path: '/channels/$channelId/settings',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/channels/$channelId/settings/$section', params: { ...params, section: 'general' } })
  },
})

const channelSettings = createRoute({
  getParentRoute: () => root,
  path: '/channels/$channelId/settings/$section',
  component: lazyRouteComponent(() => loadPart(() => import('../channels/channel-settings.tsx')), 'ChannelSettings'),
})

const channel = createRoute({
  getParentRoute: () => root,
  path: '/channels/$channelId',
  validateSearch: readNarrowSearch,
  component: lazyRouteComponent(() => loadPart(() => import('../conversation/channel.tsx')), 'ChannelView'),
})

const channelTopics = createRoute({
  getParentRoute: () => root,
  path: '/channels/$channelId/topics',
  component: lazyRouteComponent(() => loadPart(() => import('../inbox/topics.tsx')), 'ChannelTopics'),
})

const direct = createRoute({
  getParentRoute: () => root,
  path: '/dm/$people',
  validateSearch: readNarrowSearch,
  component: lazyRouteComponent(() => loadPart(() => import('../conversation/direct.tsx')), 'Direct'),
})

const directList = createRoute({
  getParentRoute: () => root,
  path: '/dm',
  // Users type the name of a recipient without waiting for the page.
  beforeLoad: ({ cause }) => {
    if (cause === 'enter') holdTyping()
  },
  component: lazyRouteComponent(() => loadPart(() => import('../inbox/direct-list.tsx')), 'DirectList'),
})

const chats = createRoute({
  getParentRoute: () => root,
  path: '/chats',
  component: lazyRouteComponent(() => loadPart(() => import('../sidebar/chats.tsx')), 'Chats'),
})

const you = createRoute({
  getParentRoute: () => root,
  path: '/you',
  component: lazyRouteComponent(() => loadPart(() => import('../sidebar/you.tsx')), 'You'),
})

const inbox = createRoute({
  getParentRoute: () => root,
  path: '/inbox',
  component: lazyRouteComponent(() => loadPart(() => import('../inbox/inbox.tsx')), 'Inbox'),
})

const recent = createRoute({
  getParentRoute: () => root,
  path: '/recent',
  component: lazyRouteComponent(() => loadPart(() => import('../inbox/recent.tsx')), 'Recent'),
})

const drafts = createRoute({
  getParentRoute: () => root,
  path: '/drafts',
  component: lazyRouteComponent(() => loadPart(() => import('../inbox/drafts.tsx')), 'Drafts'),
})

const scheduled = createRoute({
  getParentRoute: () => root,
  path: '/scheduled',
  component: lazyRouteComponent(() => loadPart(() => import('../inbox/scheduled.tsx')), 'Scheduled'),
})

const loadFeeds = () => loadPart(() => import('../conversation/feeds.tsx'))

const combined = createRoute({
  getParentRoute: () => root,
  path: '/combined',
  validateSearch: readNarrowSearch,
  component: lazyRouteComponent(loadFeeds, 'Combined'),
})

const mentions = createRoute({
  getParentRoute: () => root,
  path: '/mentions',
  validateSearch: readNarrowSearch,
  component: lazyRouteComponent(loadFeeds, 'Mentions'),
})

const starred = createRoute({
  getParentRoute: () => root,
  path: '/starred',
  validateSearch: readNarrowSearch,
  component: lazyRouteComponent(loadFeeds, 'Starred'),
})

const directMessages = createRoute({
  getParentRoute: () => root,
  path: '/direct-messages',
  validateSearch: readNarrowSearch,
  component: lazyRouteComponent(loadFeeds, 'DirectMessages'),
})

const reactions = createRoute({
  getParentRoute: () => root,
  path: '/reactions',
  validateSearch: readNarrowSearch,
  component: lazyRouteComponent(loadFeeds, 'Reactions'),
})

const search = createRoute({
  getParentRoute: () => root,
  path: '/search',
  validateSearch: readNarrowSearch,
  component: lazyRouteComponent(() => loadPart(() => import('../search/search.tsx')), 'Search'),
})

const invitations = createRoute({
  getParentRoute: () => root,
  path: '/invitations',
  component: lazyRouteComponent(() => loadPart(() => import('../invitations/invitations.tsx')), 'Invitations'),
})

const outbox = createRoute({
  getParentRoute: () => root,
  path: '/outbox',
  validateSearch: ({ mail }): { mail?: number } =>
    Number.isInteger(Number(mail ?? '')) && mail ? { mail: Number(mail) } : {},
  component: lazyRouteComponent(() => loadPart(() => import('../invitations/outbox.tsx')), 'Outbox'),
})

const integrations = createRoute({
  getParentRoute: () => root,
  // `/integrations` is a page of the server, which needs no account.
  path: '/add-integration',
  validateSearch: ({ service, channel }): { service?: string; channel?: number } => ({
    ...(typeof service === 'string' && { service }),
    ...(Number.isInteger(channel) && { channel: channel as number }),
  }),
  component: lazyRouteComponent(() => loadPart(() => import('../integrations/integrations.tsx')), 'Integrations'),
})

const people = createRoute({
  getParentRoute: () => root,
  path: '/people',
  component: lazyRouteComponent(() => loadPart(() => import('../directory/people.tsx')), 'People'),
})

const person = createRoute({
  getParentRoute: () => root,
  path: '/people/$userId',
  component: lazyRouteComponent(() => loadPart(() => import('../directory/person-page.tsx')), 'PersonPage'),
})

const loadAdministration = () => loadPart(() => import('../organization/organization.tsx'))

const organization = createRoute({
  getParentRoute: () => root,
  path: '/organization',
  component: lazyRouteComponent(loadAdministration, 'Administration'),
})

const organizationSection = createRoute({
  getParentRoute: () => root,
  path: '/organization/$section',
  validateSearch: ({ group, accounts, setting }): SettingSearch & { group?: number; accounts?: 'unprotected' } => ({
    ...(Number.isInteger(group) && { group: group as number }),
    ...(accounts === 'unprotected' && { accounts }),
    ...readSetting(setting),
  }),
  component: lazyRouteComponent(loadAdministration, 'Administration'),
})

const loadSettings = () => loadPart(() => import('../settings/settings.tsx'))

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyRouteComponent(loadSettings, 'Settings'),
})

const settingsSection = createRoute({
  getParentRoute: () => root,
  path: '/settings/$section',
  validateSearch: ({ setting }): SettingSearch => readSetting(setting),
  component: lazyRouteComponent(loadSettings, 'Settings'),
})

const loadHelp = () => loadPart(() => import('../help/help.tsx'))

const help = createRoute({
  getParentRoute: () => root,
  path: '/help',
  component: lazyRouteComponent(loadHelp, 'Help'),
})

const helpPage = createRoute({
  getParentRoute: () => root,
  path: '/help/$page',
  component: lazyRouteComponent(loadHelp, 'HelpPageView'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    ...[home, channels, newChannel, channel, channelTopics, anyChannelSettings, channelSettings],
    ...[chats, you, direct, directList, inbox, recent, drafts, scheduled, search],
    ...[combined, mentions, starred, directMessages, reactions],
    ...[people, person, organization, organizationSection, invitations, outbox, settings, settingsSection],
    ...[integrations, help, helpPage],
  ]),
  defaultPreload: 'intent',
  defaultErrorComponent: ErrorScreen,
  defaultPendingComponent: PendingScreen,
  defaultPendingMs: 300,
  // Timelines restore their position by message and not by scroll offset.
  scrollRestoration: ({ location }) => readNarrow(location.pathname, location.search) === null,
})

// Users who go elsewhere instead of starting a message type into the page that they see.
router.subscribe('onBeforeNavigate', ({ toLocation }) => {
  if (toLocation.pathname !== '/dm') leaveHeldTyping()
})

declare module '@tanstack/react-router' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: the library asks for its interface to be extended
  interface Register {
    router: typeof router
  }
  // biome-ignore lint/style/useConsistentTypeDefinitions: the library asks for its interface to be extended
  interface HistoryState {
    /** The position at which the messages of the page open. */
    position?: MessagePosition
  }
}
