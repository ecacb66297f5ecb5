import Volume2 from 'lucide-react/icons/volume-2'
import { type ReactNode, useState } from 'react'
import { NO_SOUND, NOTIFICATION_SOUNDS, playSound } from '../../browser/notifications.ts'
import { SettingsGroup } from '../../forms/setting-row.tsx'
import * as settingsCss from '../../forms/settings.module.css'
import { isForever, PauseDialog } from '../../people/pause-dialog.tsx'
import { EndTime } from '../../scheduling/end-time.tsx'
import { type OwnSettings, useOwnSettings } from '../../store/own-settings.ts'
import { rich } from '../../text/rich.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { CheckboxField } from '../../ui/field.tsx'
import { useMinute } from '../../ui/moments.ts'
import { type Option, SelectField } from '../../ui/select-field.tsx'
import { SettingField } from '../setting-field.tsx'
import { AlertWords } from './alert-words.tsx'
import * as css from './notification-table.module.css'
import { ThisBrowser } from './this-browser.tsx'

/** Pauses notifications until a time, on all devices. */
function DoNotDisturb(): ReactNode {
  const [{ do_not_disturb_until: until }, change] = useOwnSettings()
  const [isAsking, ask] = useState(false)
  const isPaused = until > useMinute()
  return (
    <section className={settingsCss.settingsGroup} aria-labelledby="do-not-disturb" data-setting="do_not_disturb_until">
      <h2 id="do-not-disturb">{t('Do not disturb')}</h2>
      <div className={settingsCss.settingsEnd}>
        <p role="status">
          {!isPaused
            ? t('Notifications aren’t paused.')
            : isForever(until)
              ? t('Notifications are paused.')
              : rich('Notifications are paused until {time}.', { time: <EndTime at={until} /> })}
        </p>
        <div className="row">
          {isPaused && (
            <Button kind="primary" onPress={() => change({ do_not_disturb_until: 0 })}>
              {t('Resume notifications')}
            </Button>
          )}
          <Button onPress={() => ask(true)}>{isPaused ? t('Change…') : t('Pause notifications…')}</Button>
        </div>
      </div>
      {isAsking && <PauseDialog pausing="notifications" onClose={() => ask(false)} />}
    </section>
  )
}

type Wish = {
  [Name in keyof OwnSettings]: OwnSettings[Name] extends boolean ? Name : never
}[keyof OwnSettings]

const MEDIA = [t('Desktop'), t('Sound'), t('Push'), t('Email')] as const

const ROWS: readonly { label: string; about?: string; requests: readonly [Wish, Wish, Wish, Wish] }[] = [
  {
    label: t('Direct messages and mentions'),
    requests: [
      'enable_desktop_notifications',
      'enable_sounds',
      'enable_offline_push_notifications',
      'enable_offline_email_notifications',
    ],
  },
  {
    label: t('Followed topics'),
    requests: [
      'enable_followed_topic_desktop_notifications',
      'enable_followed_topic_audible_notifications',
      'enable_followed_topic_push_notifications',
      'enable_followed_topic_email_notifications',
    ],
  },
  {
    label: t('All other channel messages'),
    about: t('Channel settings can override this.'),
    requests: [
      'enable_stream_desktop_notifications',
      'enable_stream_audible_notifications',
      'enable_stream_push_notifications',
      'enable_stream_email_notifications',
    ],
  },
]

/** The table of notification settings. Its rows are kinds of messages, and its columns are media such as email. */
function NotificationTable(): ReactNode {
  const [settings, change] = useOwnSettings()
  return (
    <table className={css.notificationTable}>
      <thead>
        <tr>
          <td />
          {MEDIA.map((medium) => (
            <th key={medium} scope="col">
              {medium}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {ROWS.map(({ label, about, requests }) => (
          <tr key={label}>
            <th scope="row">
              {label}
              {about !== undefined && <span className="soft small">{about}</span>}
            </th>
            {requests.map((request, at) => (
              <td key={request} data-setting={request}>
                <CheckboxField isSelected={settings[request]} onChange={(isOn) => change({ [request]: isOn })}>
                  <span className="visually-hidden">{`${label}: ${MEDIA[at]}`}</span>
                </CheckboxField>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Returns the options. Adds the current value if it is not among them, because another client has set it. */
function withCurrentValue<Key extends string | number>(
  options: readonly Option<Key>[],
  own: Key,
  label: (own: Key) => string,
): readonly Option<Key>[] {
  return options.some(({ id }) => id === own) ? options : [{ id: own, label: label(own) }, ...options]
}

const OPTIONS = [...NOTIFICATION_SOUNDS.map(({ id, label }) => ({ id, label })), { id: NO_SOUND, label: t('None') }]

/** The choice of a sound for notifications. Choosing a sound plays it. */
function SoundChoice(): ReactNode {
  const [{ notification_sound: sound }, change] = useOwnSettings()
  const play = (name: string) => void playSound(name).catch(() => {})
  return (
    <div className={css.soundChoice} data-setting="notification_sound">
      <SelectField
        label={t('Notification sound')}
        value={sound}
        options={withCurrentValue(OPTIONS, sound, (name) => name)}
        onChange={(name) => {
          change({ notification_sound: name })
          play(name)
        }}
      />
      <Button
        icon={<Volume2 className="icon" aria-hidden="true" />}
        isDisabled={sound === NO_SOUND}
        onPress={() => play(sound)}
      >
        {t('Play')}
      </Button>
    </div>
  )
}

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
