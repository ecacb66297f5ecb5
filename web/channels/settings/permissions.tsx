import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { ChannelSettingName } from '#channels/channel.ts'
import { call } from '../../api/call.ts'
import { SettingFact, SettingsGroup } from '../../forms/setting-row.tsx'
import * as css from '../../forms/settings.module.css'
import { GroupSettingField } from '../../picking/group-setting-field.tsx'
import { describeSetting } from '../../picking/setting-values.ts'
import { toAppError } from '../../store/app-error.ts'
import { type Channel, useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { CheckboxField, RadioCards } from '../../ui/field.tsx'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { showToast } from '../../ui/toasts.ts'
import { mayAdminister, mayCreateChannels, mayMakeDefault, mayOpenChannel } from '../channel.ts'
import { privacyCards } from '../channel-row.tsx'
import type { ListedChannel } from '../listing.ts'
import { availablePrivacies, PRIVACIES, type Privacy, privacyOf, toChangedPrivacy } from './privacy.ts'

/** The labels of channel permissions, in the order in which they are shown. */
const CHANNEL_PERMISSIONS: Readonly<Record<ChannelSettingName, { label: string; hint?: string }>> = {
  can_send_message_group: { label: t('Who can post?') },
  can_subscribe_group: {
    label: t('Who can subscribe?'),
    hint: t('Applies to private channels. Any member can join a public channel.'),
  },
  can_add_subscribers_group: {
    label: t('Who can add subscribers?'),
    hint: t('People who can administer the channel or add subscribers to any channel always can, too.'),
  },
  can_remove_subscribers_group: {
    label: t('Who can remove subscribers?'),
    hint: t('People who can administer the channel always can, too.'),
  },
  can_administer_channel_group: {
    label: t('Who can administer the channel?'),
    hint: t('They can change its name, description and settings. Organization administrators always can, too.'),
  },
}

/** Permissions that give access to a private channel. */
const READ_ACCESS_PERMISSIONS: ReadonlySet<ChannelSettingName> = new Set([
  'can_subscribe_group',
  'can_add_subscribers_group',
])

/** The setting that makes the channel a default channel for new users. */
function DefaultChoice({ channel: { stream_id, name } }: { channel: Channel }): ReactNode {
  const { realm_default_streams, realm_name } = useOrganization('realm_default_streams', 'realm_name')
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (isOn: boolean) =>
      isOn ? call('POST /default_streams', { stream_id }) : call('DELETE /default_streams', { stream_id }),
    onSuccess: (_, isOn) =>
      showToast(
        isOn
          ? t('New users are now added to #{name}', { name })
          : t('New users are no longer added to #{name}', { name }),
      ),
    onError: (error) =>
      showToast(t('Couldn’t save the change. {message}', { message: toAppError(error).message }), { kind: 'error' }),
  })
  const isDefault = realm_default_streams.includes(stream_id)
  return (
    <SettingsGroup title={t('New users')}>
      <CheckboxField isSelected={isPending ? variables : isDefault} onChange={(isOn) => !isPending && mutate(isOn)}>
        {t('Add everyone who joins {organization} from now on', { organization: realm_name })}
      </CheckboxField>
    </SettingsGroup>
  )
}

function PermissionField({ channel, name }: { channel: Channel; name: ChannelSettingName }): ReactNode {
  const rule = useOrganization('server_supported_permission_settings').server_supported_permission_settings.stream[name]
  if (rule === undefined) return null
  return (
    <GroupSettingField
      id={name}
      {...CHANNEL_PERMISSIONS[name]}
      present={channel[name]}
      rule={rule}
      save={(setting) =>
        call('PATCH /streams/{stream_id}', {
          stream_id: channel.stream_id,
          [name]: { new: setting, old: channel[name] },
        })
      }
    />
  )
}

/** The privacy of a channel. It needs an explicit save, since it can expose messages to many users. */
function PrivacyChoice({ channel, mayChange }: { channel: Channel; mayChange: boolean }): ReactNode {
  const organization = useOrganization()
  const present = privacyOf(channel)
  const [chosen, choose] = useState<Privacy | null>(null)
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (privacy: Privacy) =>
      call('PATCH /streams/{stream_id}', { stream_id: channel.stream_id, ...toChangedPrivacy(privacy) }),
    onSuccess(_, privacy) {
      choose(null)
      showToast(t('#{name} is now {privacy}', { name: channel.name, privacy: PRIVACIES[privacy].label.toLowerCase() }))
    },
  })
  const offered = mayChange ? availablePrivacies(mayCreateChannels(organization), present) : [present]
  const shown = offered.find((one) => one === chosen) ?? present

  function take(value: string) {
    reset()
    choose(value as Privacy)
  }

  return (
    <section className={css.settingsForm} aria-label={t('Who can join')}>
      {error !== null && <ErrorNotice title={t('Couldn’t save the change')} error={toAppError(error)} />}
      <RadioCards
        label={t('Who can join?')}
        value={shown}
        onChange={take}
        cards={privacyCards(offered)}
        isDisabled={offered.length === 1}
      />
      {shown !== present && (
        <div className="stack">
          <p>{consequence(present, shown)}</p>
          <div className="row">
            <Button kind="primary" isPending={isPending} onPress={() => mutate(shown)}>
              {t('Save')}
            </Button>
            <Button onPress={() => choose(null)}>{t('Cancel')}</Button>
          </div>
        </div>
      )}
    </section>
  )
}

function consequence(before: Privacy, after: Privacy): string {
  if (after === 'web')
    return t('Anyone on the internet will be able to read all its messages and files, with the names of the senders.')
  if (!after.startsWith('private')) return t('All members will be able to find it and read all its messages.')
  if (after === 'private-shared' && before === 'private-protected')
    return t('Subscribers will be able to read messages sent before they joined.')
  if (!before.startsWith('private')) return t('Current subscribers stay. Others will no longer find it.')
  return t('New subscribers won’t be able to read earlier messages.')
}

const NAMES = Object.keys(CHANNEL_PERMISSIONS) as ChannelSettingName[]

/** The permissions of a channel: its privacy, and the groups that have each permission. */
export function ChannelPermissions({ known: { channel, subscription } }: { known: ListedChannel }): ReactNode {
  const organization = useOrganization()
  const mayChange = mayAdminister(organization, channel)
  const opens = mayOpenChannel(organization, channel, subscription !== null)
  return (
    <div className="stack">
      {!mayChange && (
        <Notice kind="info">
          <p>
            {t(
              'Only people who can administer the channel can change this. They are listed under “Who can administer the channel?”.',
            )}
          </p>
        </Notice>
      )}
      {mayChange && !opens && (
        <Notice kind="info">
          <p>{t('This channel is private and you’re not subscribed, so you can’t change who can read it.')}</p>
        </Notice>
      )}
      <PrivacyChoice channel={channel} mayChange={opens} />
      {mayMakeDefault(organization, channel) && <DefaultChoice channel={channel} />}
      <SettingsGroup title={t('What people can do')}>
        {NAMES.map((name) =>
          mayChange && (opens || !READ_ACCESS_PERMISSIONS.has(name)) ? (
            <PermissionField key={name} channel={channel} name={name} />
          ) : (
            <SettingFact
              key={name}
              label={CHANNEL_PERMISSIONS[name].label}
              value={describeSetting(organization, channel[name])}
            />
          ),
        )}
      </SettingsGroup>
    </div>
  )
}
