import { t } from '#lib/text/t.ts'
import { organizationTypes, type RealmSettings } from '#realms/settings.ts'

/** The name of each type of organization, as lists show it. */
export const organizationTypeLabels: Readonly<Record<keyof typeof organizationTypes, string>> = {
  unspecified: t('Not specified'),
  business: t('Business'),
  open_source: t('Open-source project'),
  education_nonprofit: t('Education (non-profit)'),
  education: t('Education (for-profit)'),
  research: t('Research'),
  event: t('Event or conference'),
  nonprofit: t('Non-profit (registered)'),
  government: t('Government'),
  political_group: t('Political group'),
  community: t('Community'),
  personal: t('Personal'),
  other: t('Other'),
}

/** Returns the name of the organization's type; null if no type was chosen. */
export function organizationTypeOf({ org_type }: Pick<RealmSettings, 'org_type'>): string | null {
  const found = typeNames.find((name) => organizationTypes[name] === org_type)
  return found === undefined || found === 'unspecified' ? null : organizationTypeLabels[found]
}

export const typeNames = Object.keys(organizationTypes) as (keyof typeof organizationTypes)[]
