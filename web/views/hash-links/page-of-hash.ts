/** The path of a page, and its search parameters. */
export type PageLocation = { readonly to: string; readonly search: Readonly<Record<string, string | number>> }

const page = (to: string, search: PageLocation['search'] = {}): PageLocation => ({ to, search })

/** The paths of views by their names in other clients; some views have several names. */
const VIEWS: Readonly<Record<string, string>> = {
  inbox: '/inbox',
  recent: '/recent',
  recent_topics: '/recent',
  recent_view: '/recent',
  feed: '/combined',
  all_messages: '/combined',
  drafts: '/drafts',
  scheduled: '/scheduled',
  reminders: '/scheduled',
  search: '/search',
  'about-zulip': '/settings/about',
}

const SETTINGS: Readonly<Record<string, string>> = {
  'account-and-privacy': 'account',
  'your-account': 'account',
  'display-settings': 'preferences',
  'alert-words': 'notifications',
  'your-bots': 'bots',
  'uploaded-files': 'files',
  topics: 'topics',
  'muted-topics': 'topics',
  'muted-users': 'muted-people',
}

const ORGANIZATION: Readonly<Record<string, string>> = {
  'organization-profile': 'profile',
  'organization-settings': 'messages',
  'organization-permissions': 'permissions',
  'auth-methods': 'joining',
  'emoji-settings': 'emoji',
  'linkifier-settings': 'links',
  'playground-settings': 'playgrounds',
  'profile-field-settings': 'profile-fields',
  'user-list-admin': 'people',
  'deactivated-users-admin': 'people',
  users: 'people',
  'bot-list-admin': 'bots',
  'organization-level-user-defaults': 'new-users',
  'data-exports-admin': 'exports',
}

const CHANNEL_LISTS: Readonly<Record<string, string>> = {
  subscribed: 'subscribed',
  available: 'available',
  notsubscribed: 'available',
  all: 'all',
  archived: 'archived',
}

const CHANNEL_SECTIONS: Readonly<Record<string, string>> = {
  personal: 'personal',
  subscribers: 'subscribers',
  permissions: 'permissions',
}

/**
 * Returns the page of a fragment of the Zulip web app, such as `#settings/profile` or `#user/7`; null for other
 * fragments.
 */
export function pageOfHash(hash: string): PageLocation | null {
  const [start = '', first = '', second = '', third = ''] = hash.replace(/^#/, '').split('/')
  const view = Object.hasOwn(VIEWS, start) ? VIEWS[start] : undefined
  if (view !== undefined) return page(view)
  switch (start) {
    case 'settings':
      return page(`/settings/${SETTINGS[first] ?? (first || 'profile')}`)
    case 'organization':
      return first === 'users' && second === 'invitations'
        ? page('/invitations')
        : page(`/organization/${ORGANIZATION[first] ?? (first || 'profile')}`)
    case 'channels':
    case 'streams':
    case 'subscriptions':
      return channelPage(first, third)
    case 'topics':
      return first === 'channel' && idOf(second) !== null ? page(`/channels/${idOf(second)}/topics`) : null
    case 'groups':
      return idOf(first) === null
        ? page('/organization/groups')
        : page('/organization/groups', { group: idOf(first) ?? 0 })
    case 'user':
      return idOf(first) === null ? null : page(`/people/${idOf(first)}`)
    case 'invite':
      return page('/inbox', { invite: 'email' })
    default:
      return null
  }
}

function channelPage(which: string, section: string): PageLocation | null {
  if (which === '') return page('/channels')
  if (which === 'new') return page('/channels/new')
  const list = CHANNEL_LISTS[which]
  if (list !== undefined) return page('/channels', { show: list })
  const id = idOf(which)
  return id === null ? null : page(`/channels/${id}/settings/${CHANNEL_SECTIONS[section] ?? 'general'}`)
}

/** Returns the id at the start of a part such as `7-design`; null if there is none. */
function idOf(part: string): number | null {
  const id = Number(/^(\d+)(?:-|$)/.exec(part)?.[1] ?? '')
  return id > 0 && Number.isSafeInteger(id) ? id : null
}
