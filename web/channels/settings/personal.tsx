import { type ReactNode, useEffect, useRef } from 'react'
import { Label } from 'react-aria-components/Label'
import { Radio, RadioGroup } from 'react-aria-components/RadioGroup'
import type { NotificationName } from '#channels/subscriptions.ts'
import * as settingsCss from '../../forms/settings.module.css'
import { type Organization, type Subscription, useOrganization } from '../../store/organization.ts'
import { rich } from '../../text/rich.ts'
import { t } from '../../text/t.ts'
import { CheckboxField } from '../../ui/field.tsx'
import * as css from '../channel-settings.module.css'
import type { ListedChannel } from '../listing.ts'
import { useSetProperty } from '../set-property.ts'

const COLORS = [
  { id: '#d1495b', label: t('Red') },
  { id: '#e07a5f', label: t('Coral') },
  { id: '#d99a1c', label: t('Amber') },
  { id: '#7a9a1f', label: t('Moss') },
  { id: '#3ba55d', label: t('Green') },
  { id: '#2f9e9a', label: t('Teal') },
  { id: '#4d9de0', label: t('Sky') },
  { id: '#5b8def', label: t('Blue') },
  { id: '#7768ae', label: t('Violet') },
  { id: '#c46fd6', label: t('Orchid') },
  { id: '#b56576', label: t('Rose') },
  { id: '#6a8793', label: t('Slate') },
] as const

/** A choice among preset colors and a custom one. */
function ColorChoice({ value, onChange }: { value: string; onChange: (color: string) => void }): ReactNode {
  const isListed = COLORS.some(({ id }) => id === value)
  const colors = isListed ? COLORS : [...COLORS, { id: value, label: t('Custom, {value}', { value }) }]
  return (
    <div className="stack" style={{ '--gap': '0.75rem' } as object}>
      <RadioGroup value={value} onChange={onChange} orientation="horizontal">
        <Label className="field-label">{t('Color')}</Label>
        <div className={css.colorChoices}>
          {colors.map(({ id, label }) => (
            <Radio key={id} value={id} className={css.colorChoice} style={{ '--choice': id } as object}>
              <span className="visually-hidden">{label}</span>
            </Radio>
          ))}
        </div>
      </RadioGroup>
      <OtherColor value={value} onChange={onChange} />
    </div>
  )
}

/**
 * The browser's color picker. The color is applied when the picker closes, because it reports every color that the user
 * passes over.
 */
function OtherColor({ value, onChange }: { value: string; onChange: (color: string) => void }): ReactNode {
  const input = useRef<HTMLInputElement>(null)
  const take = useRef(onChange)
  take.current = onChange
  useEffect(() => {
    if (input.current !== null) input.current.value = value
  }, [value])
  useEffect(() => {
    const element = input.current
    const onEnd = () => element && take.current(element.value)
    element?.addEventListener('change', onEnd)
    return () => element?.removeEventListener('change', onEnd)
  }, [])
  return (
    <label className={css.colorOwn}>
      <input ref={input} type="color" defaultValue={value} />
      {t('Custom color')}
    </label>
  )
}

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
  const { user_settings } = useOrganization('user_settings')
  const set = useSetProperty(subscription)
  return (
    <section className={settingsCss.settingsForm} aria-label={t('Personal')}>
      <ColorChoice value={subscription.color} onChange={(color) => set('color', color)} />
      <CheckboxField isSelected={subscription.pin_to_top} onChange={(isOn) => set('pin_to_top', isOn)}>
        {t('Pin channel to top')}
      </CheckboxField>
      <CheckboxField isSelected={subscription.is_muted} onChange={(isOn) => set('is_muted', isOn)}>
        {rich('Mute channel <soft>Only mentions notify you</soft>', {
          soft: (children) => <span className="soft">{children}</span>,
        })}
      </CheckboxField>
      <fieldset className={css.channelNotifications}>
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
