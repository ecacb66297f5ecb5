import { plainName } from '#rules/plain-name.ts'
import { t } from '../text/t.ts'
import { ORGANIZATION_SETTINGS } from './organization-settings.ts'
import { PERSONAL_SETTINGS, type SettingText } from './personal-settings.ts'
import { ORGANIZATION_SECTIONS, SETTINGS_SECTIONS, type SettingsSection } from './sections.ts'

/** An entry of the settings search: a setting, or a section of settings. */
export type SettingEntry = {
  readonly label: string
  /** The area and section that contain the entry. */
  readonly within: string
  readonly to: string
  /** The name of the setting; undefined for a section. */
  readonly setting?: string
  /** More texts in which the search finds the entry, such as its description. */
  readonly texts?: readonly string[]
}

/**
 * Returns the entries that contain every word of the query, in their label, section, description or values. Entries
 * whose label contains the first word come first.
 */
export function findSettings(entries: readonly SettingEntry[], query: string): SettingEntry[] {
  const words = plainName(query).split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const matches = entries.filter(({ label, within, texts = [] }) => {
    const all = plainName([label, within, ...texts].join(' '))
    return words.every((word) => all.includes(word))
  })
  const rankOf = ({ label }: SettingEntry) => {
    const plain = plainName(label)
    return plain.startsWith(words[0]!) ? 0 : plain.includes(words[0]!) ? 1 : 2
  }
  return matches.toSorted((one, other) => rankOf(one) - rankOf(other))
}

/** The parts of the personal settings pages that are not personal settings of the API. */
export const OTHER_SETTINGS: readonly (SettingText & { readonly name: string })[] = [
  { name: 'avatar', section: 'profile', label: t('Profile picture'), keywords: t('avatar, photo') },
  { name: 'full_name', section: 'profile', label: t('Name') },
  { name: 'timezone', section: 'profile', label: t('Time zone'), keywords: t('local time') },
  { name: 'email', section: 'account', label: t('Email address') },
  { name: 'password', section: 'account', label: t('Password') },
  { name: 'sessions', section: 'account', label: t('Logged-in browsers'), keywords: t('sessions, devices, log out') },
  { name: 'own-data', section: 'account', label: t('Your data'), keywords: t('export, download, archive, privacy') },
  {
    name: 'authenticator-app',
    section: 'security',
    label: t('Authenticator app'),
    // Recovery codes and trusted browsers are below it, once there are any.
    keywords: t('two-factor, 2FA, TOTP, second factor, recovery codes, backup codes, trusted browsers'),
  },
  { name: 'passkeys', section: 'security', label: t('Passkeys'), keywords: t('security key, WebAuthn, fingerprint') },
  { name: 'deactivate', section: 'account', label: t('Deactivate account'), keywords: t('delete, leave, close') },
  { name: 'density', section: 'preferences', label: t('Density in this browser'), keywords: t('compact, comfortable') },
  { name: 'undo-send', section: 'preferences', label: t('Undo send') },
  { name: 'alert-words', section: 'notifications', label: t('Alert words'), keywords: t('keywords, highlights') },
]

/** Returns all entries that the settings search can find for a user with these rights. */
export function settingsIndex({ isAdmin, isGuest }: { isAdmin: boolean; isGuest: boolean }): SettingEntry[] {
  const organization = ORGANIZATION_SECTIONS.filter(({ isForAll }) => isAdmin || (isForAll && !isGuest))
  return [
    ...SETTINGS_SECTIONS.flatMap((section) => entriesOf('settings', t('Settings'), section, PERSONAL)),
    ...organization.flatMap((section) => entriesOf('organization', t('Organization'), section, ORGANIZATION_SETTINGS)),
  ]
}

type Named = SettingText & { readonly name: string }

const PERSONAL: readonly Named[] = [
  ...OTHER_SETTINGS,
  ...Object.entries(PERSONAL_SETTINGS).map(([name, text]: [string, SettingText]) => ({ ...text, name })),
]

/** Returns the entries of a section and of its settings. */
function entriesOf(area: string, title: string, section: SettingsSection, settings: readonly Named[]): SettingEntry[] {
  const to = `/${area}/${section.id}`
  return [
    { label: section.label, within: title, to, texts: [section.about] },
    ...settings
      .filter((setting) => setting.section === section.id)
      .map(({ name, label, about = '', keywords = '', options = [] }) => ({
        label,
        within: t('{area} › {section}', { area: title, section: section.label }),
        to,
        setting: name,
        texts: [about, keywords, ...options.map((option) => option.label)],
      })),
  ]
}
