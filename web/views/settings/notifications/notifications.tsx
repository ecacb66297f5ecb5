import type { ReactNode } from 'react'
import { IconCount } from '../../../store/messages/icon-count.ts'
import { useOwnSettings } from '../../../store/own-settings.ts'
import { t } from '../../../text/t.ts'
import { CheckboxField } from '../../../ui/fields/checkbox-field.tsx'
import { SelectField } from '../../../ui/fields/select-field.tsx'
import { withCurrentValue } from '../with-current-value.ts'
import { AlertWords } from './alert-words.tsx'
import { NotificationTable } from './notification-table.tsx'
import { ThisBrowser } from './this-browser.tsx'

const COUNTS = [
  { id: IconCount.all, label: t('All that is not read') },
  { id: IconCount.directMentionsFollowed, label: t('Direct messages, mentions and topics that I follow') },
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

/** What one is told of, and how: on the screen while Parley is open or closed, by a sound, by mail. */
export function Notifications(): ReactNode {
  const [settings, change] = useOwnSettings('That')
  const { email_notifications_batching_period_seconds: wait } = settings
  return (
    <div className="stack">
      <ThisBrowser />
      <section className="card settings-card" aria-labelledby="told-of">
        <h2 id="told-of">{t('What I am told of')}</h2>
        <NotificationTable />
        <p className="soft">
          {t(
            'On the screen and by sound while Parley is open and you look at something else; by push on the screen of each browser that may tell you while Parley is closed; by mail what you have not read a while later. Muted channels and topics stay silent, but for mentions of you.',
          )}
        </p>
        <CheckboxField
          isSelected={settings.wildcard_mentions_notify}
          onChange={(isOn) => change({ wildcard_mentions_notify: isOn })}
        >
          {t('Count a mention of everybody as one of me')}
        </CheckboxField>
        <CheckboxField
          isSelected={settings.enable_followed_topic_wildcard_mentions_notify}
          onChange={(isOn) => change({ enable_followed_topic_wildcard_mentions_notify: isOn })}
        >
          {t('In topics that I follow, do so in any case')}
        </CheckboxField>
        <CheckboxField
          isSelected={settings.enable_online_push_notifications}
          onChange={(isOn) => change({ enable_online_push_notifications: isOn })}
        >
          {t('Send push notifications even when I’m active elsewhere')}
        </CheckboxField>
      </section>
      <AlertWords />
      <section className="card settings-card" aria-labelledby="told-how">
        <h2 id="told-how">{t('What it says')}</h2>
        <CheckboxField
          isSelected={settings.pm_content_in_desktop_notifications}
          onChange={(isOn) => change({ pm_content_in_desktop_notifications: isOn })}
        >
          {t('Show on the screen what direct messages say')}
        </CheckboxField>
        <CheckboxField
          isSelected={settings.message_content_in_email_notifications}
          onChange={(isOn) => change({ message_content_in_email_notifications: isOn })}
        >
          {t('Write into mail what messages say')}
        </CheckboxField>
        <SelectField
          label={t('Mail waits for more to come')}
          value={wait}
          options={withCurrentValue(WAITS, wait, (seconds) => t('{seconds} seconds', { seconds }))}
          onChange={(seconds) => change({ email_notifications_batching_period_seconds: seconds })}
        />
        <SelectField
          label={t('The number before the title of the window counts')}
          value={settings.desktop_icon_count_display}
          options={COUNTS}
          onChange={(display) => change({ desktop_icon_count_display: display })}
        />
      </section>
    </div>
  )
}
