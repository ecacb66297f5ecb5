import { type Actor, apiEmail } from '../users/user.ts'
import { type Times, toWebsitePresenceJson } from './presence.ts'

/** Tells of somebody's presence, in the older format whatever the client asked for. */
export function presenceEvent(user: Actor, times: Times, now: number, externalUrl: string) {
  return {
    type: 'presence',
    user_id: user.id,
    email: apiEmail(user, user.realm, externalUrl),
    server_timestamp: now,
    presence: { website: { ...toWebsitePresenceJson(times, user.joinedAt), pushable: false } },
  } as const
}
