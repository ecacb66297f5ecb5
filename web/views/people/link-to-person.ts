import type { Person } from '../../store/organization.ts'

/** Returns the address of a user's profile, which any Zulip client understands. */
export const linkToPerson = ({ user_id }: Person, realmUrl: string): string => `${realmUrl}/#user/${user_id}`
