import type { UserSettings } from '#people/users/settings/settings.ts'

/**
 * Returns whether the settings of a user allow digests. Users who do not share their presence get none, because the web
 * client does not report their activity.
 */
export const wantsDigests = ({ enable_digest_emails, presence_enabled }: UserSettings): boolean =>
  enable_digest_emails && presence_enabled
