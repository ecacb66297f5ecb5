import { t } from '../../../text/t.ts'
import type { EndId } from '../../scheduling/end-options.ts'

/** A common status with its emoji and its usual end. */
export type StatusPreset = { text: string; emoji: { emoji_name: string; emoji_code: string }; end: EndId | 'never' }

export const STATUS_PRESETS: readonly StatusPreset[] = [
  { text: t('Busy'), emoji: { emoji_name: 'working_on_it', emoji_code: '1f6e0' }, end: 'hour' },
  { text: t('In a meeting'), emoji: { emoji_name: 'calendar', emoji_code: '1f4c5' }, end: 'hour' },
  { text: t('Commuting'), emoji: { emoji_name: 'bus', emoji_code: '1f68c' }, end: 'half-hour' },
  { text: t('Out sick'), emoji: { emoji_name: 'hurt', emoji_code: '1f915' }, end: 'tomorrow' },
  { text: t('On vacation'), emoji: { emoji_name: 'palm_tree', emoji_code: '1f334' }, end: 'never' },
  { text: t('Working remotely'), emoji: { emoji_name: 'house', emoji_code: '1f3e0' }, end: 'tomorrow' },
]
