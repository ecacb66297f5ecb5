import { t } from '../../../text/t.ts'
import type { SettingText } from '../catalogue/personal-settings.ts'

/** The parts of the personal settings pages that are not personal settings of the API. */
export const OTHER_SETTINGS: readonly (SettingText & { readonly name: string })[] = [
  { name: 'avatar', section: 'profile', label: t('Profile picture'), keywords: t('avatar, photo') },
  { name: 'full_name', section: 'profile', label: t('Name') },
  { name: 'timezone', section: 'profile', label: t('Time zone'), keywords: t('local time') },
  { name: 'email', section: 'account', label: t('Email address') },
  { name: 'password', section: 'account', label: t('Password') },
  { name: 'sessions', section: 'account', label: t('Logged-in browsers'), keywords: t('sessions, devices, log out') },
  { name: 'deactivate', section: 'account', label: t('Deactivate account'), keywords: t('delete, leave, close') },
  { name: 'density', section: 'preferences', label: t('Density in this browser'), keywords: t('compact, comfortable') },
  { name: 'undo-send', section: 'preferences', label: t('Undo send') },
  { name: 'alert-words', section: 'notifications', label: t('Alert words'), keywords: t('keywords, highlights') },
]
