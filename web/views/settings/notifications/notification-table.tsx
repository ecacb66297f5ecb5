import type { ReactNode } from 'react'
import { type OwnSettings, useOwnSettings } from '../../../store/own-settings.ts'
import { CheckboxField } from '../../../ui/fields/checkbox-field.tsx'
import './notification-table.css'
import { t } from '../../../text/t.ts'

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
export function NotificationTable(): ReactNode {
  const [settings, change] = useOwnSettings()
  return (
    <table className="notification-table">
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
