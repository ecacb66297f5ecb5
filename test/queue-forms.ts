import type { QueueForm } from '#events/queues/event-queue.ts'

/** The registration of a client without capabilities. */
export const plainForm: QueueForm = {
  eventTypes: null,
  narrow: [],
  allPublicChannels: false,
  appliesMarkdown: false,
  computesGravatar: true,
  hasSlimPresence: false,
  allowsEmptyTopic: false,
  takesBulkDeletions: false,
  takesUserSettings: false,
  takesStreamTyping: false,
  includesDeactivatedGroups: false,
  takesArchivedChannels: false,
  takesUnsetNotifications: false,
  takesLinkifierTemplates: false,
  takesExtensions: false,
  omitsUnknownUsers: false,
  extraEmojiType: 'service_extra_emoji',
}

/** The registration of the web app, with all capabilities. */
export const webForm: QueueForm = {
  ...plainForm,
  appliesMarkdown: true,
  hasSlimPresence: true,
  allowsEmptyTopic: true,
  takesBulkDeletions: true,
  takesUserSettings: true,
  takesStreamTyping: true,
  includesDeactivatedGroups: true,
  takesArchivedChannels: true,
  takesUnsetNotifications: true,
  takesLinkifierTemplates: true,
  takesExtensions: true,
  omitsUnknownUsers: true,
  extraEmojiType: 'zulip_extra_emoji',
}
