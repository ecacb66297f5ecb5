import type { ReactNode } from 'react'
import type { RealmPermissionName } from '#realms/settings.ts'
import { call } from '../../api/call.ts'
import { SettingFact, SettingsGroup } from '../../forms/setting-row.tsx'
import { GroupSettingField } from '../../picking/group-setting-field.tsx'
import { describeSetting } from '../../picking/setting-values.ts'
import { REALM_PERMISSIONS } from '../../settings/organization-settings.ts'
import { useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { mayChangeSetting, SavedCheck } from './saved-fields.tsx'

/** The permissions by section, in the order in which the page shows them. */
const SECTIONS: readonly { title: string; names: readonly RealmPermissionName[] }[] = [
  {
    title: t('People'),
    names: ['can_invite_users_group', 'create_multiuse_invite_group', 'can_access_all_users_group'],
  },
  {
    title: t('Channels'),
    names: [
      'can_create_public_channel_group',
      'can_create_private_channel_group',
      'can_create_web_public_channel_group',
      'can_add_subscribers_group',
      'can_mention_many_users_group',
    ],
  },
  {
    title: t('Messages'),
    names: [
      'can_delete_own_message_group',
      'can_delete_any_message_group',
      'can_move_messages_between_topics_group',
      'can_move_messages_between_channels_group',
      'can_resolve_topics_group',
    ],
  },
  {
    title: t('Direct messages'),
    names: ['direct_message_initiator_group', 'direct_message_permission_group'],
  },
  {
    title: t('Groups, emoji and bots'),
    names: [
      'can_create_groups',
      'can_manage_all_groups',
      'can_add_custom_emoji_group',
      'can_create_bots_group',
      'can_create_write_only_bots_group',
    ],
  },
]

export function Permissions(): ReactNode {
  return (
    <>
      {SECTIONS.map(({ title, names }) => (
        <SettingsGroup key={title} title={title}>
          {names.includes('can_create_web_public_channel_group') && <WebPublicChannels />}
          {names.map((name) => (
            <Permission key={name} name={name} />
          ))}
        </SettingsGroup>
      ))}
    </>
  )
}

function WebPublicChannels(): ReactNode {
  return (
    <SavedCheck
      name="enable_spectator_access"
      hint={t('Anyone on the internet can open the files in these channels. Reading messages requires an account.')}
    >
      {t('Allow web-public channels')}
    </SavedCheck>
  )
}

function Permission({ name }: { name: RealmPermissionName }): ReactNode {
  const organization = useOrganization()
  const text = REALM_PERMISSIONS[name]
  const rule = organization.server_supported_permission_settings.realm[name]
  const present = organization[`realm_${name}`]
  if (text === null || rule === undefined) return null
  if (!mayChangeSetting(organization, name))
    return (
      <SettingFact
        id={name}
        label={text.label}
        value={describeSetting(organization, present)}
        hint={t('Only owners can change this.')}
      />
    )
  return (
    <GroupSettingField
      id={name}
      {...text}
      present={present}
      rule={rule}
      save={(setting) => call('PATCH /realm', { [name]: { new: setting, old: present } })}
    />
  )
}
