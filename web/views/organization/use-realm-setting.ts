import { useMutation } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { toAppError } from '../../store/app-error.ts'
import { findOwnAccount, type Organization, updateOrganization, useOrganization } from '../../store/organization.ts'
import type { SaveState } from '../settings/save-status.tsx'
import { OWNER_SETTINGS } from './realm-permissions.ts'

type Field = Extract<keyof Organization, `realm_${string}`>

/** The settings of the organization that clients know, by the names under which they are changed. */
export type SettingName = {
  [Name in Field]: Name extends `realm_${infer Setting}` ? Setting : never
}[Field]

export type RealmSetting<Value> = {
  value: Value
  mayChange: boolean
  save: (value: Value) => void
  state: SaveState
  /** What the server said of a change that it refused. */
  error: string | null
}

/** A setting of the organization, which is saved when it is changed. */
export function useRealmSetting<Name extends SettingName>(name: Name): RealmSetting<Organization[`realm_${Name}`]> {
  type Value = Organization[`realm_${Name}`]
  const organization = useOrganization()
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: (value: Value) => call('PATCH /realm', { [name]: isUnlimited(name, value) ? UNLIMITED : value }),
    // One after the other, so that the last one stays.
    scope: { id: `organization ${name}` },
    onSuccess: (_, value) => updateOrganization(() => ({ [`realm_${name}`]: value })),
  })
  return {
    value: organization[`realm_${name}`],
    mayChange: mayChangeSetting(organization, name),
    save: (value) => mutate(value),
    state: isPending ? 'saving' : isSuccess ? 'saved' : 'still',
    error: error === null ? null : toAppError(error).message,
  }
}

/** Whether one may change the setting: administrators most, owners all. */
export function mayChangeSetting(organization: Organization, name: string): boolean {
  const isOwner = findOwnAccount(organization)?.role === 100
  return organization.is_admin && (isOwner || !(OWNER_SETTINGS as ReadonlySet<string>).has(name))
}

/** As it goes where a number may stand as well: in JSON. */
const UNLIMITED = '"unlimited"'

const isUnlimited = (name: string, value: unknown): boolean =>
  value === null || (name === 'message_retention_days' && value === -1)
