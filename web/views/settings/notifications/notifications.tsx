import type { ReactNode } from 'react'
import { IconCount } from '../../../store/messages/icon-count.ts'
import { useOwnSettings } from '../../../store/own-settings.ts'
import { t } from '../../../text/t.ts'
import { CheckboxField } from '../../../ui/fields/checkbox-field.tsx'
import { SelectField } from '../../../ui/fields/select-field.tsx'
import { SettingField } from '../rows/setting-field.tsx'
import { withCurrentValue } from '../with-current-value.ts'
import { AlertWords } from './alert-words.tsx'
import { DoNotDisturb } from './do-not-disturb.tsx'
import { NotificationTable } from './notification-table.tsx'
import { SoundChoice } from './sound-choice.tsx'
import { ThisBrowser } from './this-browser.tsx'

const COUNTS = [
  { id: IconCount.all, label: t('All unread messages') },
  { id: IconCount.directMentionsFollowed, label: t('Direct messages, mentions and followed topics') },
  { id: IconCount.directMentions, label: t('Direct messages and mentions') },
  { id: IconCount.nothing, label: t('Nothing') },
]

const WAITS = [
  { id: 30, label: t('30 seconds') },
  { id: 120, label: t('2 minutes') },
  { id: 300, label: t('5 minutes') },
  { id: 600, label: t('10 minutes') },
  { id: 1800, label: t('30 minutes') },
  { id: 3600, label: t('1 hour') },
  { id: 21_600, label: t('6 hours') },
  { id: 86_400, label: t('1 day') },
]

/** The user's notification settings. */
export function Notifications(): ReactNode {
  const [settings, change] = useOwnSettings()
  const { email_notifications_batching_period_seconds: wait } = settings
  return (
    <div className="stack">
      <DoNotDisturb />
      <ThisBrowser />
      <section className="card settings-card" aria-labelledby="notify-about">
        <h2 id="notify-about">{t('Notify me about')}</h2>
        <NotificationTable />
        <SoundChoice />
        <p className="soft">
          {t(
            'Desktop and sound: while Parley is open in the background. Push: in your browsers while Parley is closed. Email: for messages you haven’t read after a while. Muted channels and topics only notify you about mentions.',
          )}
        </p>
        <CheckboxField
          isSelected={settings.wildcard_mentions_notify}
          onChange={(isOn) => change({ wildcard_mentions_notify: isOn })}
        >
          {t('Notify me about @all mentions')}
        </CheckboxField>
        <CheckboxField
          isSelected={settings.enable_followed_topic_wildcard_mentions_notify}
          onChange={(isOn) => change({ enable_followed_topic_wildcard_mentions_notify: isOn })}
        >
          {t('Always notify me about @all in followed topics')}
        </CheckboxField>
        <CheckboxField
          isSelected={settings.enable_online_push_notifications}
          onChange={(isOn) => change({ enable_online_push_notifications: isOn })}
        >
          {t('Send push notifications even when I’m active elsewhere')}
        </CheckboxField>
      </section>
      <AlertWords />
      <section className="card settings-card" aria-labelledby="notification-content">
        <h2 id="notification-content">{t('Notification content')}</h2>
        <CheckboxField
          isSelected={settings.pm_content_in_desktop_notifications}
          onChange={(isOn) => change({ pm_content_in_desktop_notifications: isOn })}
        >
          {t('Include direct messages in desktop notifications')}
        </CheckboxField>
        <CheckboxField
          isSelected={settings.message_content_in_email_notifications}
          onChange={(isOn) => change({ message_content_in_email_notifications: isOn })}
        >
          {t('Include message content in emails')}
        </CheckboxField>
        <SelectField
          label={t('Delay before sending emails')}
          value={wait}
          options={withCurrentValue(WAITS, wait, (seconds) =>
            t('{seconds, plural, one {# second} other {# seconds}}', { seconds }),
          )}
          onChange={(seconds) => change({ email_notifications_batching_period_seconds: seconds })}
        />
        <SettingField name="realm_name_in_email_notifications_policy" />
        <SelectField
          label={t('Unread count in the tab title')}
          value={settings.desktop_icon_count_display}
          options={COUNTS}
          onChange={(display) => change({ desktop_icon_count_display: display })}
        />
      </section>
    </div>
  )
}
