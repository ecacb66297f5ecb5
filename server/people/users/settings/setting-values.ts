import { refusal } from '#lib/errors/refusal.ts'
import { isLanguage } from '#realms/languages.ts'
import { NO_SOUND, notificationSounds } from './notification-sounds.ts'
import { TIMED_SETTINGS, type UserSettings } from './settings.ts'

const unknownLanguage = refusal('BAD_REQUEST', 400, 'Invalid default_language', { field: 'default_language' })
const unknownSound = refusal('BAD_REQUEST', 400, "Invalid notification sound '{sound}'", {
  field: 'notification_sound',
})
const invalidBatchingPeriod = refusal('BAD_REQUEST', 400, 'Invalid email batching period: {seconds} seconds', {
  field: 'email_notifications_batching_period_seconds',
})

const timeNotInFuture = refusal('BAD_REQUEST', 400, 'Invalid {name}: the time is not in the future')

export const settingValueRefusals = [unknownLanguage, unknownSound, invalidBatchingPeriod] as const

export const timedSettingRefusals = [timeNotInFuture] as const

/** The maximum batching period of emails, in seconds. */
const MAX_BATCHING_PERIOD = 7 * 86_400

type SettingValues = { [Name in keyof UserSettings]?: UserSettings[Name] | undefined }

/**
 * Refuses unknown languages, unknown sounds, and batching periods out of range. The types of these settings do not
 * exclude such values.
 */
export function requireSettingValues(given: SettingValues): void {
  const {
    default_language: language,
    notification_sound: sound,
    email_notifications_batching_period_seconds: seconds,
  } = given
  if (language !== undefined && !isLanguage(language)) throw unknownLanguage()
  if (sound !== undefined && sound !== NO_SOUND && !notificationSounds.includes(sound)) throw unknownSound({ sound })
  if (seconds !== undefined && (seconds < 1 || seconds > MAX_BATCHING_PERIOD)) {
    throw invalidBatchingPeriod({ seconds })
  }
}

/** Refuses times that are not in the future. 0 is allowed and means no time. */
export function requireFutureTimes(given: SettingValues, now: number): void {
  for (const name of TIMED_SETTINGS) {
    const time = given[name]
    if (time !== undefined && time !== 0 && time <= now) throw timeNotInFuture({ name })
  }
}
