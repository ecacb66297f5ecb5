import { t } from '../../../text/t.ts'
import { ORGANIZATION_SECTIONS } from '../../organization/sections.ts'
import { PERSONAL_SETTINGS, type SettingText } from '../catalogue/personal-settings.ts'
import { SETTINGS_SECTIONS, type SettingsSection } from '../sections.ts'
import type { SettingEntry } from './find-settings.ts'
import { ORGANIZATION_SETTINGS } from './organization-settings.ts'
import { OTHER_SETTINGS } from './other-settings.ts'

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
