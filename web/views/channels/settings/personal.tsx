import type { ReactNode } from 'react'
import type { NotificationName } from '#channels/subscriptions.ts'
import { type Organization, type Subscription, useOrganization } from '../../../store/organization.ts'
import { rich } from '../../../text/rich.ts'
import { t } from '../../../text/t.ts'
import { CheckboxField } from '../../../ui/fields/checkbox-field.tsx'
import type { ListedChannel } from '../listing.ts'
import { ColorChoice } from './color-choice.tsx'
import { useSetProperty } from './set-property.ts'

const NOTIFICATIONS: Readonly<Record<NotificationName, string>> = {
  desktop_notifications: t('Desktop notifications'),
  audible_notifications: t('Sound'),
  push_notifications: t('Push notifications'),
  email_notifications: t('Email notifications'),
  wildcard_mentions_notify: t('Notify me about @all mentions'),
}

/** The user's own settings for a channel: color, pinning and notifications. */
export function Personal({ known }: { known: ListedChannel }): ReactNode {
  return known.subscription === null ? null : <OwnSettings subscription={known.subscription} />
}

function OwnSettings({ subscription }: { subscription: Subscription }): ReactNode {
  const { user_settings } = useOrganization()
  const set = useSetProperty(subscription)
  return (
    <section className="settings-form" aria-label={t('Personal')}>
      <ColorChoice value={subscription.color} onChange={(color) => set('color', color)} />
      <CheckboxField isSelected={subscription.pin_to_top} onChange={(isOn) => set('pin_to_top', isOn)}>
        {t('Pin channel to top')}
      </CheckboxField>
      <CheckboxField isSelected={subscription.is_muted} onChange={(isOn) => set('is_muted', isOn)}>
        {rich('Mute channel <soft>Only mentions notify you</soft>', {
          soft: (children) => <span className="soft">{children}</span>,
        })}
      </CheckboxField>
      <fieldset className="channel-notifications">
        <legend className="field-label">{t('New messages')}</legend>
        {(Object.keys(NOTIFICATIONS) as NotificationName[]).map((name) => (
          <CheckboxField
            key={name}
            isSelected={subscription[name] ?? inherited(user_settings, name)}
            onChange={(isOn) => set(name, isOn)}
          >
            {NOTIFICATIONS[name]}
            {subscription[name] === null && <span className="soft"> {t('(default)')}</span>}
          </CheckboxField>
        ))}
      </fieldset>
    </section>
  )
}

/** Returns the user's general setting. It applies if the channel has no setting of its own. */
const inherited = (settings: Organization['user_settings'], name: NotificationName): boolean =>
  name === 'wildcard_mentions_notify' ? settings.wildcard_mentions_notify : settings[`enable_stream_${name}`]
