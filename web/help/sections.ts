import { plainName } from '#rules/plain-name.ts'
import type { HelpNode, HelpPage } from '../help-pages.ts'
import { t } from '../text/t.ts'

/** The help pages by section, in the order in which the list shows them. */
export const HELP_SECTIONS: readonly { readonly title: string; readonly pages: readonly string[] }[] = [
  {
    title: t('Getting started'),
    pages: ['find-your-way', 'channels-and-topics', 'catch-up', 'jump-to-anything', 'keyboard-shortcuts', 'whats-new'],
  },
  {
    title: t('Reading'),
    pages: [
      ...['read-and-unread', 'recent-conversations', 'search', 'follow-or-mute', 'mute-or-pin-a-channel'],
      ...['star-messages', 'collapse-messages', 'read-receipts'],
    ],
  },
  {
    title: t('Writing'),
    pages: [
      ...['send-a-message', 'start-a-topic', 'direct-messages', 'format-text', 'share-code', 'mention-people'],
      ...['link-to-messages', 'reactions', 'share-files', 'polls', 'to-do-lists', 'insert-a-time', 'snippets'],
      ...['start-a-call', 'add-a-gif'],
      ...['drafts', 'send-later', 'undo-send', 'edit-a-message', 'quote-and-forward'],
    ],
  },
  {
    title: t('Conversations'),
    pages: [
      ...['move-messages', 'resolve-a-topic', 'join-a-channel', 'create-a-channel', 'change-a-channel'],
      ...['archive-a-channel', 'email-into-a-channel', 'answer-by-email', 'groups', 'mute-a-person'],
    ],
  },
  {
    title: t('Your account'),
    pages: [
      ...[
        'profile',
        'set-a-status',
        'availability',
        'appearance',
        'notifications',
        'pause-notifications',
        'alert-words',
        'password',
        'two-step-login',
        'api-keys-and-bots',
        'outgoing-webhooks',
        'add-an-integration',
        'check-deliveries',
        'import-settings',
      ],
    ],
  },
  {
    title: t('Managing an organization'),
    pages: [
      ...['invite-people', 'who-can-join', 'organization-profile', 'roles', 'deactivate-an-account'],
      ...['custom-emoji', 'linkifiers', 'message-rules', 'export-data'],
    ],
  },
]

const SETTINGS: Readonly<Record<string, string>> = {
  profile: 'profile',
  availability: 'availability',
  preferences: 'appearance',
  notifications: 'notifications',
  keyboard: 'keyboard-shortcuts',
  'api-keys': 'api-keys-and-bots',
  bots: 'api-keys-and-bots',
  account: 'password',
  security: 'two-step-login',
  topics: 'follow-or-mute',
  'muted-people': 'mute-a-person',
  files: 'share-files',
}

const ORGANIZATION: Readonly<Record<string, string>> = {
  profile: 'organization-profile',
  people: 'deactivate-an-account',
  bots: 'api-keys-and-bots',
  groups: 'groups',
  emoji: 'custom-emoji',
  links: 'linkifiers',
  permissions: 'roles',
  messages: 'message-rules',
  joining: 'who-can-join',
}

/** The help page for each section of the personal settings and of the organization settings. */
export const HELP_OF_SECTION = { settings: SETTINGS, organization: ORGANIZATION } as const

/** Returns the text of a node and its children, without formatting. */
const textOf = (node: HelpNode): string => (typeof node === 'string' ? node : node.children.map(textOf).join(''))

/**
 * Returns the names of the pages that contain all typed words in any order. Pages with one of the words in the title
 * come first.
 */
export function findPages(pages: ReadonlyMap<string, HelpPage>, typed: string): string[] {
  const words = plainName(typed).split(/\s+/).filter(Boolean)
  const found = [...pages].flatMap(([name, { title, summary, body }]) => {
    const head = plainName(title)
    const text = plainName([title, summary, ...body.map(textOf)].join(' '))
    const count = words.filter((word) => head.includes(word)).length
    return words.every((word) => text.includes(word)) ? [{ name, count }] : []
  })
  return found.sort((one, other) => other.count - one.count).map(({ name }) => name)
}
