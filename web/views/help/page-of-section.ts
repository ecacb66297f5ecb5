const SETTINGS: Readonly<Record<string, string>> = {
  profile: 'profile',
  availability: 'availability',
  preferences: 'appearance',
  notifications: 'notifications',
  keyboard: 'keyboard-shortcuts',
  'api-keys': 'api-keys-and-bots',
  bots: 'api-keys-and-bots',
  account: 'password',
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
