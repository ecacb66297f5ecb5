import type { ReactNode } from 'react'
import { SettingsGroup } from '../../forms/setting-row.tsx'
import { t } from '../../text/t.ts'
import { SavedChannel, SavedCheck, SavedNumber } from './saved-fields.tsx'

/** The days of the week, numbered as in the API. */
const WEEKDAYS = [
  { value: 0, label: t('Monday') },
  { value: 1, label: t('Tuesday') },
  { value: 2, label: t('Wednesday') },
  { value: 3, label: t('Thursday') },
  { value: 4, label: t('Friday') },
  { value: 5, label: t('Saturday') },
  { value: 6, label: t('Sunday') },
]

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
          hint={t('The email contains the organization’s URL, login instructions and first steps.')}
        >
          {t('Send a welcome email to new people')}
        </SavedCheck>
        <SavedCheck
          name="digest_emails_enabled"
          hint={t(
            'After five days without visiting, people get the busiest conversations and new channels. They can unsubscribe.',
          )}
        >
          {t('Email weekly digests to people who have been away')}
        </SavedCheck>
        <SavedNumber name="digest_weekday" label={t('Weekly digest day')} options={WEEKDAYS} describe={String} />
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
