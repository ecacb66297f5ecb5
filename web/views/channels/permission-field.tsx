import { useMutation } from '@tanstack/react-query'
import Check from 'lucide-react/icons/check'
import { type ReactNode, useState } from 'react'
import type { ChannelSettingName } from '../../../server/channels/channel.ts'
import { call } from '../../api/call.ts'
import type { GroupSetting } from '../../store/membership.ts'
import { type Channel, useOrganization } from '../../store/organization.ts'
import { toTrouble } from '../../store/trouble.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { PERMISSIONS } from './permission-words.ts'
import { Picker } from './picker.tsx'
import { addressesOf, type Choice } from './picks.ts'
import { CHOSEN, toChoices, toSetting, toValue, type Value, valueOptions } from './setting-values.ts'

/** One permission of a channel: a group is saved when it is chosen, people one by one when one says so. */
export function PermissionField({ channel, name }: { channel: Channel; name: ChannelSettingName }): ReactNode {
  const organization = useOrganization()
  const present: GroupSetting = channel[name]
  const [choices, choose] = useState<readonly Choice[] | null>(null)
  const [complaint, setComplaint] = useState<string | null>(null)
  const { label, hint } = PERMISSIONS[name]
  const rule = organization.server_supported_permission_settings.stream[name]
  const { mutate, isPending, isSuccess, error, reset } = useMutation({
    mutationFn: (setting: GroupSetting) =>
      call('PATCH /streams/{stream_id}', { stream_id: channel.stream_id, [name]: { new: setting, old: present } }),
    onSuccess: () => choose(null),
  })
  if (rule === undefined) return null
  const isChosen = choices !== null || typeof present !== 'number'
  const shown = choices ?? toChoices(organization, present)

  function edit(next: readonly Choice[] | null) {
    reset()
    setComplaint(null)
    choose(next)
  }

  function take(value: Value) {
    edit(value === CHOSEN ? toChoices(organization, present) : null)
    if (value !== CHOSEN && value !== toValue(present)) mutate(Number(value.slice('group:'.length)))
  }

  function save() {
    const strangers = addressesOf(shown)
    if (strangers.length > 0) setComplaint(`Take out who is nobody here: ${strangers.join(', ')}`)
    else mutate(toSetting(shown))
  }

  return (
    <div className="permission">
      <SelectField
        label={label}
        value={isChosen ? CHOSEN : toValue(present)}
        options={valueOptions(organization, rule)}
        description={hint}
        error={complaint ?? (error === null ? null : toTrouble(error).message)}
        onChange={take}
      />
      {isChosen && (
        <div className="permission-chosen">
          <Picker
            label={`People and groups: ${label}`}
            offered={{ groups: 'named', channels: false }}
            picks={shown}
            onChange={edit}
          />
          {choices !== null && (
            <div className="row">
              <Button kind="primary" isPending={isPending} onPress={save}>
                Save
              </Button>
              <Button onPress={() => edit(null)}>Cancel</Button>
            </div>
          )}
        </div>
      )}
      <p className="small saved" role="status">
        {isPending && 'Saving …'}
        {isSuccess && (
          <>
            <Check className="icon" aria-hidden="true" /> Saved
          </>
        )}
      </p>
    </div>
  )
}
