import type { Role } from '../people/users/role.ts'
import { t } from '../platform/text/t.ts'

const names: Record<Role, string> = {
  100: t('an owner'),
  200: t('an administrator'),
  300: t('a moderator'),
  400: t('a member'),
  600: t('a guest'),
}

/** The role in a sentence: “as an owner”. */
export const roleWithArticle = (role: Role): string => names[role]

/** Formats a time for readers whose time zone is unknown: `2030-01-15 10:00 UTC`. */
export function formatUtcTime(time: number): string {
  const [day, clock] = new Date(time * 1000).toISOString().split('T')
  return `${day} ${clock?.slice(0, 5)} UTC`
}
