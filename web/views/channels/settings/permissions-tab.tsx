import type { ReactNode } from 'react'
import type { ChannelSettingName } from '#channels/channel.ts'
import { useOrganization } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { Notice } from '../../../ui/feedback/notice.tsx'
import { describeSetting } from '../../picking/setting-values.ts'
import { SettingFact } from '../../settings/rows/setting-row.tsx'
import { SettingsGroup } from '../../settings/rows/settings-group.tsx'
import type { ListedChannel } from '../listing.ts'
import { mayAdminister, mayMakeDefault, mayOpenChannel } from '../rights.ts'
import { CHANNEL_PERMISSIONS, READ_ACCESS_PERMISSIONS } from './channel-permissions.ts'
import { DefaultChoice } from './default-choice.tsx'
import { PermissionField } from './permission-field.tsx'
import { PrivacyChoice } from './privacy-choice.tsx'

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
