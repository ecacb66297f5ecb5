import type { ReactNode } from 'react'
import { CALL_SERVER_ADDRESS, MAX_CALL_SERVER_LENGTH } from '#rules/shared-limits.ts'
import { call } from '../../api/call.ts'
import { AutosaveField } from '../../forms/autosave-field.tsx'
import { SettingRow, SettingsGroup } from '../../forms/setting-row.tsx'
import { useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { SelectField } from '../../ui/select-field.tsx'
import { SavedCheck, SavedCodeLanguage, SavedNumber, SavedPolicy, useRealmSetting } from './saved-fields.tsx'

const NO_CALLS = 0

/** The provider of calls, and the address of its server. */
function CallSettings(): ReactNode {
  const { realm_available_video_chat_providers: providers } = useOrganization('realm_available_video_chat_providers')
  const { value, save, error, ...last } = useRealmSetting('video_chat_provider')
  const label = t('Call provider')
  return (
    <SettingsGroup title={t('Calls')}>
      <SettingRow id="video_chat_provider" label={label} {...last}>
        <SelectField
          label={label}
          description={t('The compose box has buttons that insert a link to a new call.')}
          value={value}
          options={Object.values(providers).map(({ id, name }) => ({ id, label: id === NO_CALLS ? t('None') : name }))}
          error={error}
          onChange={save}
        />
      </SettingRow>
      {value === providers['jitsi_meet']?.id && <ServerField />}
    </SettingsGroup>
  )
}

/** The rating up to which people find GIFs; nothing if the server has no search for them. */
function GifSettings(): ReactNode {
  const { giphy_rating_options: options } = useOrganization('giphy_rating_options')
  const { value, save, error, ...last } = useRealmSetting('giphy_rating')
  if (Object.keys(options).length <= 1) return null
  const label = t('GIFs in the compose box')
  return (
    <SettingsGroup title={t('GIFs')}>
      <SettingRow id="giphy_rating" label={label} {...last}>
        <SelectField
          label={label}
          description={t('People find GIFs up to this rating. The search goes through this server.')}
          value={value}
          options={Object.values(options).map(({ id, name }) => ({ id, label: name }))}
          error={error}
          onChange={save}
        />
      </SettingRow>
    </SettingsGroup>
  )
}

function ServerField(): ReactNode {
  const { realm_jitsi_server_url, server_jitsi_server_url } = useOrganization(
    'realm_jitsi_server_url',
    'server_jitsi_server_url',
  )
  return (
    <AutosaveField
      id="jitsi_server_url"
      label={t('Jitsi server')}
      type="url"
      value={realm_jitsi_server_url ?? ''}
      description={
        server_jitsi_server_url === null
          ? t('The address of your own server. The buttons appear when you enter one.')
          : t('The address of your own server. Leave this empty to use {server}.', { server: server_jitsi_server_url })
      }
      check={checkServer}
      save={(address) => call('PATCH /realm', { jitsi_server_url: JSON.stringify(address || 'default') })}
    />
  )
}

function checkServer(address: string): string | null {
  if (address === '') return null
  if (address.length > MAX_CALL_SERVER_LENGTH)
    return t('Use at most {max} characters.', { max: MAX_CALL_SERVER_LENGTH })
  return CALL_SERVER_ADDRESS.test(address)
    ? null
    : t('Enter an address that begins with https://, such as https://meet.example.com, without spaces, “?” or “#”.')
}

const SECONDS = [
  { value: 60, label: t('1 minute') },
  { value: 600, label: t('10 minutes') },
  { value: 3600, label: t('1 hour') },
  { value: 86_400, label: t('1 day') },
  { value: 604_800, label: t('1 week') },
  { value: null, label: t('No limit') },
]

const DAYS = [
  { value: 30, label: t('30 days') },
  { value: 90, label: t('90 days') },
  { value: 365, label: t('1 year') },
  { value: -1, label: t('Forever') },
]

const inSeconds = (value: number) => t('{value, plural, one {# second} other {# seconds}}', { value })

/**
 * Returns the confirmation for a shorter retention period, since it deletes messages; null if no messages are deleted.
 */
const askBeforeForgetting = (chosen: number | null, present: number | null) =>
  chosen !== null && chosen > 0 && (present === null || present < 0 || chosen < present)
    ? {
        title: t('Delete older messages?'),
        text: t(
          'Messages older than {chosen, plural, one {# day} other {# days}} will be permanently deleted for everyone.',
          { chosen },
        ),
        action: t('Delete older messages'),
      }
    : null

/** Shows the settings for messages: editing and moving, retention, writing and reading, and calls. */
export function MessageSettings(): ReactNode {
  const { server_inline_url_embed_preview: canPreviewLinks } = useOrganization('server_inline_url_embed_preview')
  return (
    <>
      <SettingsGroup title={t('Editing and moving')}>
        <SavedCheck name="allow_message_editing">{t('Allow message editing')}</SavedCheck>
        <SavedNumber
          name="message_content_edit_limit_seconds"
          label={t('Time limit for editing messages')}
          options={SECONDS}
          describe={inSeconds}
        />
        <SavedNumber
          name="message_content_delete_limit_seconds"
          label={t('Time limit for deleting messages')}
          hint={t('People who can delete others’ messages have no time limit.')}
          options={SECONDS}
          describe={inSeconds}
        />
        <SavedNumber
          name="move_messages_within_stream_limit_seconds"
          label={t('Time limit for moving messages between topics')}
          options={SECONDS}
          describe={inSeconds}
        />
        <SavedNumber
          name="move_messages_between_streams_limit_seconds"
          label={t('Time limit for moving messages between channels')}
          options={SECONDS}
          describe={inSeconds}
        />
        <SavedPolicy
          name="message_edit_history_visibility_policy"
          label={t('Edit history')}
          options={[
            { id: 'all', label: t('Edits and moves') },
            { id: 'moves', label: t('Moves only') },
            { id: 'none', label: t('Nothing') },
          ]}
        />
      </SettingsGroup>
      <SettingsGroup title={t('Retention')}>
        <SavedNumber
          name="message_retention_days"
          label={t('Message retention')}
          hint={t('Older messages are permanently deleted for everyone.')}
          options={DAYS}
          describe={(value) => t('{value, plural, one {# day} other {# days}}', { value })}
          ask={askBeforeForgetting}
        />
      </SettingsGroup>
      <SettingsGroup title={t('Writing and reading')}>
        <SavedCheck name="mandatory_topics">{t('Require topics in channel messages')}</SavedCheck>
        <SavedCheck name="enable_read_receipts">{t('Enable read receipts')}</SavedCheck>
        <SavedCheck
          name="inline_image_preview"
          hint={t('If off, messages show pictures and videos as links. Applies to new messages.')}
        >
          {t('Show pictures and videos in messages')}
        </SavedCheck>
        {canPreviewLinks && (
          <SavedCheck
            name="inline_url_embed_preview"
            hint={t(
              'If on, the server fetches the websites that messages link to, and shows their titles, descriptions and pictures. Applies to new messages.',
            )}
          >
            {t('Show previews of websites')}
          </SavedCheck>
        )}
        <SavedCodeLanguage />
      </SettingsGroup>
      <CallSettings />
      <GifSettings />
    </>
  )
}
