import { updateOrganization } from '../organization.ts'
import type { ServerEvent } from './event.ts'

/** What decides what one may do oneself, which only the server knows. */
const decidesForOneself = (property: string) =>
  property.endsWith('_group') || property === 'can_create_groups' || property === 'waiting_period_threshold'

/** Takes a `realm` event: settings of the organization; false when only registering anew can make all else true. */
export function applyRealm(event: ServerEvent): boolean {
  const change = changedSettings(event)
  if (change === null) return false
  updateOrganization(() => Object.fromEntries(Object.entries(change).map(([name, value]) => [`realm_${name}`, value])))
  return !Object.keys(change).some(decidesForOneself)
}

/** The settings that a `realm` event tells, by their names; null when it tells something else. */
export function changedSettings(event: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | null {
  if (event['op'] === 'update') return { [String(event['property'])]: event['value'] }
  if (event['op'] === 'update_dict') return event['data'] as Record<string, unknown>
  return null
}
