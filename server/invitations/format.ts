import type { Role } from '#rules/role.ts'

const roleKeys: Readonly<Record<Role, string>> = {
  100: 'owner',
  200: 'administrator',
  300: 'moderator',
  400: 'member',
  600: 'guest',
}

/** Returns the name by which texts select a variant for the role: `{role, select, owner {an owner} …}`. */
export const roleKey = (role: Role): string => roleKeys[role]

/** Formats a time for readers whose time zone is unknown: `2030-01-15 10:00 UTC`. */
export function formatUtcTime(time: number): string {
  const [day, clock] = new Date(time * 1000).toISOString().split('T')
  return `${day} ${clock?.slice(0, 5)} UTC`
}
