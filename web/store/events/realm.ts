import { updateOrganization } from '../organization.ts'
import type { EventOf } from './event.ts'

/** Returns true if the setting may change the user's own permissions, which only the server knows. */
const changesPermissions = (property: string) =>
  property.endsWith('_group') || property === 'can_create_groups' || property === 'waiting_period_threshold'

export function applyRealm(event: EventOf<'realm'>): boolean {
  const change = changedSettings(event)
  if (change === null) return false
  updateOrganization(() => Object.fromEntries(Object.entries(change).map(([name, value]) => [`realm_${name}`, value])))
  return !Object.keys(change).some(changesPermissions)
}

/** Returns the changed settings by their names; null for events about anything else. */
export function changedSettings(event: EventOf<'realm'>): Readonly<Record<string, unknown>> | null {
  switch (event.op) {
    case 'update':
      return { [event.property]: event.value }
    case 'update_dict':
      return event.data
    default:
      return null
  }
}
