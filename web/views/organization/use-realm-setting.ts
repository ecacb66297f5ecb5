import { isOwner } from '#rules/role.ts'
import { call } from '../../api/call.ts'
import { findOwnAccount, type Organization, updateOrganization, useOrganization } from '../../store/organization.ts'
import type { SettingUndo } from '../settings/rows/use-last-change.ts'
import type { SaveState } from '../settings/save-state.ts'
import { useSavedValue } from '../settings/use-saved-value.ts'
import { OWNER_SETTINGS } from './realm-permissions.ts'

type Field = Extract<keyof Organization, `realm_${string}`>

/** Organization settings by their names in the API. */
export type SettingName = {
  [Name in Field]: Name extends `realm_${infer Setting}` ? Setting : never
}[Field]

type RealmSetting<Value> = {
  value: Value
  mayChange: boolean
  save: (value: Value) => void
  state: SaveState
  undo: SettingUndo | null
  /** The error of the last change. */
  error: string | null
}

/**
 * Returns an organization setting and a function that saves it. Changes by other users appear immediately, with a
 * notice. `confirm` calls `run` if the change needs no confirmation, or after the user has confirmed it.
 */
export function useRealmSetting<Name extends SettingName>(
  name: Name,
  confirm: (to: Organization[`realm_${Name}`], run: () => void) => void = (_, run) => run(),
): RealmSetting<Organization[`realm_${Name}`]> {
  type Value = Organization[`realm_${Name}`]
  const organization = useOrganization()
  const { change, undo, state, shown, error } = useSavedValue<Value>(
    organization[`realm_${name}`],
    (value) => call('PATCH /realm', { [name]: isUnlimited(name, value) ? UNLIMITED : value }),
    { scope: `organization ${name}`, onSaved: (value) => updateOrganization(() => ({ [`realm_${name}`]: value })) },
  )
  return {
    value: shown,
    mayChange: mayChangeSetting(organization, name),
    save: (to) => confirm(to, () => change(to)),
    state,
    undo: undo && { ...undo, run: () => confirm(undo.to, undo.run) },
    error,
  }
}

/**
 * Returns true if the user may change the setting. Administrators can change most settings, and owners can change all.
 */
export function mayChangeSetting(organization: Organization, name: string): boolean {
  const user = findOwnAccount(organization)
  return (
    organization.is_admin &&
    ((user !== undefined && isOwner(user)) || !(OWNER_SETTINGS as ReadonlySet<string>).has(name))
  )
}

/** The text is encoded as JSON, since the parameter also accepts numbers. */
const UNLIMITED = '"unlimited"'

const isUnlimited = (name: string, value: unknown): boolean =>
  value === null || (name === 'message_retention_days' && value === -1)
