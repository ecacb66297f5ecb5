import type { Person } from '../../store/organization.ts'

/** Returns a link to a user's profile. The link works in any Zulip client. */
export const linkToPerson = ({ user_id }: Person, realmUrl: string): string => `${realmUrl}/#user/${user_id}`
