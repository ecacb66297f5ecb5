import type { organizationTypes } from '#realms/settings.ts'
import { t } from '../../text/t.ts'

type TypeNumber = (typeof organizationTypes)[keyof typeof organizationTypes]

const LABELS: Readonly<Record<TypeNumber, string>> = {
  0: t('Not specified'),
  10: t('Business'),
  20: t('Open-source project'),
  30: t('Education (non-profit)'),
  35: t('Education (for-profit)'),
  40: t('Research'),
  50: t('Event or conference'),
  60: t('Non-profit (registered)'),
  70: t('Government'),
  80: t('Political group'),
  90: t('Community'),
  100: t('Personal'),
  1000: t('Other'),
}

/** The types of organizations, sorted by their numbers in the API. */
export const ORGANIZATION_TYPES: readonly { id: number; label: string }[] = Object.entries(LABELS).map(
  ([id, label]) => ({ id: Number(id), label }),
)
