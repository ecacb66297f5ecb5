import type { ReactNode } from 'react'
import { t } from '../../text/t.ts'
import { SettingsGroup } from '../settings/rows/settings-group.tsx'
import { SavedChannel, SavedCheck } from './saved-fields.tsx'

/** The channels for announcements, and the messages that the server sends automatically. */
export function Announcements(): ReactNode {
  return (
    <>
      <SettingsGroup title={t('Announcement channels')}>
        <SavedChannel
          name="new_stream_announcements_stream_id"
          label={t('New channels')}
          description={t('Notification Bot posts here when someone creates a public channel and announces it.')}
        />
        <SavedChannel
          name="signup_announcements_stream_id"
          label={t('New people')}
          description={t('Notification Bot posts here when someone joins.')}
        />
      </SettingsGroup>
      <SettingsGroup title={t('Automatic messages')}>
        <SavedCheck
          name="send_channel_removal_notices"
          hint={t('Notification Bot sends a direct message that names the channel.')}
        >
          {t('Notify people when someone removes them from a channel')}
        </SavedCheck>
        <SavedCheck
          name="send_welcome_emails"
          hint={t('The email has the address of the organization, how to log in, and first steps.')}
        >
          {t('Send a welcome email to new people')}
        </SavedCheck>
        <SavedCheck
          name="message_content_allowed_in_email_notifications"
          hint={t('If off, emails say that there are new messages, but not what they say or who wrote them.')}
        >
          {t('Include message content in emails')}
        </SavedCheck>
      </SettingsGroup>
    </>
  )
}
