import { refusal } from '../platform/errors/refusal.ts'
import { isLanguage } from './realms/languages.ts'
import type { RealmSettings } from './realms/settings.ts'

export const invalidLanguage = refusal('BAD_REQUEST', 400, "Invalid language '{language}'", { field: 'language' })

/** Refuses an unknown language. */
export function requireLanguage({ default_language: language }: Partial<RealmSettings>): void {
  if (language !== undefined && !isLanguage(language)) throw invalidLanguage({ language })
}
