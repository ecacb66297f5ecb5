import type { Person } from '../../store/organization.ts'

/** Returns the address of a user's profile, which any Zulip client understands. */
export const linkToPerson = ({ user_id }: Person, realmUrl: string): string => `${realmUrl}/#user/${user_id}`

/** Returns the id in an address such as `#user/12` or `#user/12/channels`; null for other fragments. */
export function readPersonHash(hash: string): string | null {
  return /^#?user\/(\d{1,15})(?:\/|$)/.exec(hash)?.[1] ?? null
}
