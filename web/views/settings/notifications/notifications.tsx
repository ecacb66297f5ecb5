import type { ReactNode } from 'react'
import { t } from '../../../text/t.ts'
import { SettingField } from '../rows/setting-field.tsx'
import { SettingsGroup } from '../rows/settings-group.tsx'
import { AlertWords } from './alert-words.tsx'
import { DoNotDisturb } from './do-not-disturb.tsx'
import { NotificationTable } from './notification-table.tsx'
import { SoundChoice } from './sound-choice.tsx'
import { ThisBrowser } from './this-browser.tsx'

export function Notifications(): ReactNode {
  return (
    <>
      <DoNotDisturb />
      <ThisBrowser />
      <SettingsGroup title={t('Notify me about')}>
        <NotificationTable />
        <SoundChoice />
        <p className="soft">
          {t(
            'Desktop and sound: while Parley is open in the background. Push: in your browsers while Parley is closed. Email: for messages you haven’t read after a while. Muted channels and topics only notify you about mentions.',
          )}
        </p>
        <SettingField name="wildcard_mentions_notify" />
        <SettingField name="enable_followed_topic_wildcard_mentions_notify" />
        <SettingField name="enable_online_push_notifications" />
      </SettingsGroup>
      <AlertWords />
      <SettingsGroup title={t('Notification content')}>
        <SettingField name="pm_content_in_desktop_notifications" />
        <SettingField name="message_content_in_email_notifications" />
        <SettingField name="email_notifications_batching_period_seconds" />
        <SettingField name="realm_name_in_email_notifications_policy" />
        <SettingField name="desktop_icon_count_display" />
      </SettingsGroup>
      <SettingsGroup title={t('Emails about your account')}>
        <SettingField name="enable_digest_emails" />
        <SettingField name="enable_login_emails" />
      </SettingsGroup>
    </>
  )
}
