import type { ReactNode } from 'react'
import type { ChannelSettingName } from '#channels/channel.ts'
import { call } from '../../../api/call.ts'
import { type Channel, useOrganization } from '../../../store/organization.ts'
import { GroupSettingField } from '../../picking/group-setting-field.tsx'
import { CHANNEL_PERMISSIONS } from './channel-permissions.ts'

export function PermissionField({ channel, name }: { channel: Channel; name: ChannelSettingName }): ReactNode {
  const rule = useOrganization().server_supported_permission_settings.stream[name]
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
