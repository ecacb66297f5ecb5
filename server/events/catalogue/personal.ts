import { z } from 'zod'
import { attachmentJson } from '#messages/attachments.ts'
import { draftJson } from '#messages/drafts.ts'
import { reminderJson, scheduledMessageJson } from '#messages/scheduled-messages.ts'
import { snippetJson } from '#messages/snippets.ts'
import { event } from './event.ts'

const theUser = 'The user.'

const settingValue = () => z.union([z.string(), z.number(), z.boolean()])

const languageName = () => z.string().optional().describe('The name of the language, for `default_language`.')

const legacyClients = 'Clients with the capability `user_settings_object` do not receive it.'

const laterClients = 'Only clients that name the type, or have the capability `parley_extensions`, receive it.'

const exampleDraft = {
  id: 8,
  type: 'stream',
  to: [4],
  topic: 'logo',
  content: 'What if',
  timestamp: 1893837600,
} as const

const exampleSnippet = { id: 9, title: 'Greeting', content: 'Welcome!', date_created: 1893837600 } as const

const exampleScheduledMessage = {
  scheduled_message_id: 12,
  type: 'stream',
  to: 4,
  topic: 'logo',
  content: 'Good morning',
  rendered_content: '<p>Good morning</p>',
  scheduled_delivery_timestamp: 1893924000,
  failed: false,
} as const

const exampleAttachment = () => ({
  id: 14,
  name: 'logo.png',
  path_id: '2/ab/Wv3GzJ/logo.png',
  size: 20480,
  create_time: 1893837600000,
  messages: [{ date_sent: 1893837600000, id: 31 }],
})

const attachmentFields = () => ({ attachment: attachmentJson, upload_space_used: uploadSpaceUsed() })

const uploadSpaceUsed = () => z.int().describe('The total size of the organization’s files, in bytes.')

/** Events about data that belongs to one user. */
export const personalEvents = {
  alert_words: event({
    description: 'The alert words of the user changed. The event lists all of them.',
    audience: theUser,
    fields: () => ({ alert_words: z.array(z.string()) }),
    example: { alert_words: ['logo', 'lunch'] },
  }),
  muted_users: event({
    description: 'The user muted or unmuted another user. The event lists all muted users.',
    audience: theUser,
    fields: () => ({ muted_users: z.array(z.strictObject({ id: z.int(), timestamp: z.int() })) }),
    example: { muted_users: [{ id: 11, timestamp: 1893837600 }] },
  }),
  has_zoom_token: event({
    description: 'The user connected their account at Zoom, or it is no longer connected.',
    audience: theUser,
    fields: () => ({ value: z.boolean() }),
    example: { value: true },
  }),
  'user_settings/update': event({
    description: 'A setting of the user changed.',
    audience: theUser,
    clients: 'Clients without the capability `parley_extensions` do not receive settings that only this server has.',
    fields: () => ({ property: z.string(), value: settingValue(), language_name: languageName() }),
    example: { property: 'twenty_four_hour_time', value: true },
  }),
  update_display_settings: event({
    description: 'A display setting of the user changed. Deprecated: use `user_settings`.',
    audience: theUser,
    clients: legacyClients,
    fields: () => ({
      user: z.string().describe('The email address of the user.'),
      setting_name: z.string(),
      setting: settingValue(),
      language_name: languageName(),
    }),
    example: { user: 'ada@example.com', setting_name: 'twenty_four_hour_time', setting: true },
  }),
  update_global_notifications: event({
    description: 'A notification setting of the user changed. Deprecated: use `user_settings`.',
    audience: theUser,
    clients: legacyClients,
    fields: () => ({
      user: z.string().describe('The email address of the user.'),
      notification_name: z.string(),
      setting: settingValue(),
    }),
    example: { user: 'ada@example.com', notification_name: 'enable_sounds', setting: false },
  }),
  'drafts/add': event({
    description: 'The user created drafts.',
    audience: theUser,
    fields: () => ({ drafts: z.array(draftJson) }),
    example: { drafts: [{ ...exampleDraft, to: [4] }] },
  }),
  'drafts/update': event({
    description: 'The user edited a draft.',
    audience: theUser,
    fields: () => ({ draft: draftJson }),
    example: { draft: { ...exampleDraft, to: [4] } },
  }),
  'drafts/remove': event({
    description: 'The user deleted a draft.',
    audience: theUser,
    fields: () => ({ draft_id: z.int() }),
    example: { draft_id: 8 },
  }),
  'saved_snippets/add': event({
    description: 'The user created a saved snippet.',
    audience: theUser,
    fields: () => ({ saved_snippet: snippetJson }),
    example: { saved_snippet: exampleSnippet },
  }),
  'saved_snippets/update': event({
    description: 'The user edited a saved snippet.',
    audience: theUser,
    fields: () => ({ saved_snippet: snippetJson }),
    example: { saved_snippet: exampleSnippet },
  }),
  'saved_snippets/remove': event({
    description: 'The user deleted a saved snippet.',
    audience: theUser,
    fields: () => ({ saved_snippet_id: z.int() }),
    example: { saved_snippet_id: 9 },
  }),
  'scheduled_messages/add': event({
    description: 'The user scheduled messages.',
    audience: theUser,
    fields: () => ({ scheduled_messages: z.array(scheduledMessageJson) }),
    example: { scheduled_messages: [exampleScheduledMessage] },
  }),
  'scheduled_messages/update': event({
    description: 'A scheduled message was edited, or could not be sent.',
    audience: theUser,
    fields: () => ({ scheduled_message: scheduledMessageJson }),
    example: { scheduled_message: { ...exampleScheduledMessage, failed: true } },
  }),
  'scheduled_messages/remove': event({
    description: 'A scheduled message was sent or deleted.',
    audience: theUser,
    fields: () => ({ scheduled_message_id: z.int() }),
    example: { scheduled_message_id: 12 },
  }),
  'reminders/add': event({
    description: 'The user set reminders. A changed reminder is removed and added again, with the same id.',
    audience: theUser,
    clients: laterClients,
    fields: () => ({ reminders: z.array(reminderJson) }),
    example: {
      reminders: [
        {
          reminder_id: 15,
          type: 'private',
          to: [10],
          content: 'Answer it',
          rendered_content: '<p>Answer it</p>',
          scheduled_delivery_timestamp: 1893924000,
          failed: false,
          reminder_target_message_id: 31,
        },
      ],
    },
  }),
  'reminders/remove': event({
    description: 'A reminder was sent, changed or deleted.',
    audience: theUser,
    clients: laterClients,
    fields: () => ({ reminder_id: z.int() }),
    example: { reminder_id: 15 },
  }),
  'attachment/add': event({
    description: 'The user uploaded a file.',
    audience: 'The owner of the file.',
    fields: attachmentFields,
    example: { attachment: exampleAttachment(), upload_space_used: 20480 },
  }),
  'attachment/update': event({
    description: 'The messages that link to a file changed.',
    audience: 'The owner of the file.',
    fields: attachmentFields,
    example: { attachment: exampleAttachment(), upload_space_used: 20480 },
  }),
  'attachment/remove': event({
    description: 'A file was deleted.',
    audience: 'The owner of the file.',
    fields: () => ({ attachment: z.strictObject({ id: z.int() }), upload_space_used: uploadSpaceUsed() }),
    example: { attachment: { id: 14 }, upload_space_used: 0 },
  }),
} as const
