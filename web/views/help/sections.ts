import { t } from '../../text/t.ts'

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
      'start-a-call',
      ...['drafts', 'send-later', 'undo-send', 'edit-a-message', 'quote-and-forward'],
    ],
  },
  {
    title: t('Conversations'),
    pages: [
      ...['move-messages', 'resolve-a-topic', 'join-a-channel', 'create-a-channel', 'change-a-channel'],
      ...['archive-a-channel', 'groups', 'mute-a-person'],
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
        'api-keys-and-bots',
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
