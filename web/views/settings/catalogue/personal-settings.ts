import type { UserSettingName } from '#people/settings.ts'
import { APPEARANCE_SETTINGS } from './appearance.ts'
import { CONVERSATION_SETTINGS } from './conversations.ts'
import { NOTIFICATION_SETTINGS } from './notifications.ts'
import { PRIVACY_SETTINGS } from './privacy.ts'

/** The presentation of a personal setting. */
export type SettingText = {
  /** The section of the settings in which it is shown. */
  readonly section: string
  readonly label: string
  readonly about?: string
  /** The values to choose from; without them, the setting is on or off. */
  readonly options?: readonly { readonly value: string | number | boolean; readonly label: string }[]
  /** Returns the label of a value that is not among the options. */
  readonly describe?: (value: number) => string
  /** More words by which users can find the setting. */
  readonly keywords?: string
}

/** The personal settings that have a control. The test of the catalogue lists the others with reasons. */
export const PERSONAL_SETTINGS = {
  ...APPEARANCE_SETTINGS,
  ...CONVERSATION_SETTINGS,
  ...PRIVACY_SETTINGS,
  ...NOTIFICATION_SETTINGS,
} satisfies Partial<Record<UserSettingName, SettingText>>
