import { refusal } from '../base/refusal.ts'
import { isLanguage } from '../realms/languages.ts'
import { NO_SOUND, notificationSounds } from './notification-sounds.ts'

const unknownLanguage = refusal('BAD_REQUEST', 400, 'Invalid default_language')
const unknownSound = refusal('BAD_REQUEST', 400, "Invalid notification sound '{sound}'")

export const settingNameRefusals = [unknownLanguage, unknownSound] as const

type Named = { default_language?: string | undefined; notification_sound?: string | undefined }

/** Refuses personal settings that name a language or a sound which nobody knows. */
export function requireKnownNames({ default_language: language, notification_sound: sound }: Named): void {
  if (language !== undefined && !isLanguage(language)) throw unknownLanguage()
  if (sound !== undefined && sound !== NO_SOUND && !notificationSounds.includes(sound)) throw unknownSound({ sound })
}
