import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call } from '../../api/call.ts'
import { useSavedValue } from '../../forms/saved-value.ts'
import { SettingRow, SettingsGroup } from '../../forms/setting-row.tsx'
import { APPEARANCE_SETTINGS } from '../../settings/personal-settings.ts'
import { Check } from '../../settings/setting-field.tsx'
import { toAppError } from '../../store/app-error.ts'
import { DEFAULTS_KEY, type Defaults, setDefault } from '../../store/query-client.ts'
import { t } from '../../text/t.ts'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Loading } from '../../ui/page-states.tsx'
import { type Option, SelectField } from '../../ui/select-field.tsx'

/** A default setting: a checkbox, or a choice if it has options. */
type DefaultSetting = {
  name: keyof Defaults & string
  label: string
  options?: readonly Option<string | number>[]
}

/** Returns a setting with the label and the options that users see in their own settings. */
function optionsOf(name: 'web_font_size_px' | 'web_line_height_percent' | 'emojiset'): DefaultSetting {
  const { label, options } = APPEARANCE_SETTINGS[name]
  return { name, label, options: options.map(({ value, label }) => ({ id: value, label })) }
}

const AUTOMATIC = [
  { id: 1, label: t('When they take part') },
  { id: 2, label: t('When they send a message') },
  { id: 3, label: t('When they start them') },
  { id: 4, label: t('Never') },
]

/** The settings that administrators choose for new accounts, in the order of the page. */
const DEFAULT_SECTIONS: readonly { id: string; title: string; fields: readonly DefaultSetting[] }[] = [
  {
    id: 'appearance',
    title: t('Appearance'),
    fields: [
      {
        name: 'color_scheme',
        label: t('Theme'),
        options: [
          { id: 1, label: t('Match system') },
          { id: 3, label: t('Light') },
          { id: 2, label: t('Dark') },
        ],
      },
      {
        name: 'web_home_view',
        label: t('Home view'),
        options: [
          { id: 'inbox', label: t('Inbox') },
          { id: 'recent_topics', label: t('Recent') },
          { id: 'all_messages', label: t('Combined feed') },
        ],
      },
      {
        name: 'twenty_four_hour_time',
        label: t('24-hour time'),
      },
      { name: 'high_contrast_mode', label: t('High contrast') },
      optionsOf('web_font_size_px'),
      optionsOf('web_line_height_percent'),
      optionsOf('emojiset'),
    ],
  },
  {
    id: 'reading',
    title: t('Reading and writing'),
    fields: [
      {
        name: 'web_mark_read_on_scroll_policy',
        label: t('Mark messages as read on scroll'),
        options: [
          { id: 1, label: t('Always') },
          { id: 2, label: t('Only in conversation views') },
          { id: 3, label: t('Never') },
        ],
      },
      { name: 'enter_sends', label: t('Press Enter to send') },
      { name: 'automatically_follow_topics_policy', label: t('Follow topics automatically'), options: AUTOMATIC },
      {
        name: 'automatically_unmute_topics_in_muted_streams_policy',
        label: t('Unmute topics in muted channels automatically'),
        options: AUTOMATIC,
      },
      { name: 'automatically_follow_topics_where_mentioned', label: t('Follow topics where the user is mentioned') },
    ],
  },
  {
    id: 'privacy',
    title: t('Privacy'),
    fields: [
      {
        name: 'email_address_visibility',
        label: t('Who can see the email address'),
        options: [
          { id: 1, label: t('Everyone') },
          { id: 2, label: t('Members') },
          { id: 5, label: t('Moderators and administrators') },
          { id: 3, label: t('Administrators') },
          { id: 4, label: t('Nobody') },
        ],
      },
      { name: 'presence_enabled', label: t('Show availability') },
      { name: 'send_read_receipts', label: t('Send read receipts') },
      { name: 'send_private_typing_notifications', label: t('Send typing notifications in direct messages') },
      { name: 'send_stream_typing_notifications', label: t('Send typing notifications in channels') },
    ],
  },
  {
    id: 'notifications',
    title: t('Notification settings'),
    fields: [
      { name: 'enable_desktop_notifications', label: t('Desktop notifications for direct messages and mentions') },
      { name: 'enable_sounds', label: t('Sound for direct messages and mentions') },
      { name: 'enable_offline_push_notifications', label: t('Push notifications for direct messages and mentions') },
      { name: 'enable_offline_email_notifications', label: t('Emails about direct messages and mentions') },
      {
        name: 'enable_followed_topic_desktop_notifications',
        label: t('Desktop notifications for followed topics'),
      },
      { name: 'enable_followed_topic_audible_notifications', label: t('Sound for followed topics') },
      { name: 'enable_followed_topic_push_notifications', label: t('Push notifications for followed topics') },
      { name: 'enable_followed_topic_email_notifications', label: t('Emails about followed topics') },
      { name: 'enable_stream_desktop_notifications', label: t('Desktop notifications for all channel messages') },
      { name: 'enable_stream_audible_notifications', label: t('Sound for all channel messages') },
      { name: 'enable_stream_push_notifications', label: t('Push notifications for all channel messages') },
      { name: 'enable_stream_email_notifications', label: t('Emails about all channel messages') },
      { name: 'wildcard_mentions_notify', label: t('Notify about @all mentions') },
      { name: 'message_content_in_email_notifications', label: t('Include message content in emails') },
    ],
  },
]

/**
 * Returns the default settings. The initial state of the client does not include them, because few people need them.
 */
async function fetchDefaults({ signal }: { signal: AbortSignal }): Promise<Defaults> {
  const types = ['realm_user_settings_defaults']
  const { queue_id, ...state } = await call(
    'POST /register',
    { event_types: types, fetch_event_types: types },
    { signal },
  )
  if (typeof queue_id === 'string') await call('DELETE /events', { queue_id })
  return state.realm_user_settings_defaults as Defaults
}

type Value = Defaults[keyof Defaults]

/** A default setting that saves on change. */
function DefaultField({ field, value }: { field: DefaultSetting; value: Value }): ReactNode {
  const { name, label, options } = field
  const { change, undo, state, shown, error } = useSavedValue(
    value,
    (given) => call('PATCH /realm/user_settings_defaults', { [name]: given }),
    { scope: `default ${name}`, onSaved: (saved) => setDefault(name, saved) },
  )
  return (
    <SettingRow id={name} {...{ label, state, undo }} error={options === undefined ? error : null}>
      {options === undefined ? (
        <Check label={label} isSelected={shown === true} onChange={change} />
      ) : (
        <SelectField label={label} value={shown as string | number} options={options} error={error} onChange={change} />
      )}
    </SettingRow>
  )
}

/** The personal settings that new accounts start with. */
export function NewUsers(): ReactNode {
  const { data, error, refetch } = useQuery({ queryKey: DEFAULTS_KEY, queryFn: fetchDefaults, staleTime: 0 })
  if (error !== null) return <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading label={t('Loading default settings')} lines={6} />
  return (
    <>
      {DEFAULT_SECTIONS.map(({ id, title, fields }) => (
        <SettingsGroup key={id} title={title}>
          {fields.map((field) => (
            <DefaultField key={field.name} field={field} value={data[field.name]} />
          ))}
        </SettingsGroup>
      ))}
    </>
  )
}
