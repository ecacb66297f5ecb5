import { t } from '../../text/t.ts'
/** Common statuses with their emoji. */
export const STATUS_PRESETS = [
  { text: t('Busy'), emoji: 'working_on_it', code: '1f6e0' },
  { text: t('In a meeting'), emoji: 'calendar', code: '1f4c5' },
  { text: t('Commuting'), emoji: 'bus', code: '1f68c' },
  { text: t('Out sick'), emoji: 'hurt', code: '1f915' },
  { text: t('On vacation'), emoji: 'palm_tree', code: '1f334' },
  { text: t('Working remotely'), emoji: 'house', code: '1f3e0' },
] as const
