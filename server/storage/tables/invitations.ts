import type { Generated } from 'kysely'
import type { Bit, Json } from './columns.ts'

export type InvitationTables = {
  invitations: {
    id: Generated<number>
    realmId: number
    inviterId: number
    /** Null for a link that many people may use, each with their own address. */
    email: string | null
    /** The address in lower case. */
    emailKey: string | null
    role: number
    createdAt: number
    /** The time at which the invitation was last sent. Sending it again restarts its lifetime. */
    sentAt: number
    /** The time from sending to expiry; null if the invitation never expires. */
    lifetimeMinutes: number | null
    expiresAt: number | null
    /** The seed of the link's key, in hexadecimal. The key is derived from the seed and a secret of the server. */
    keySeed: string
    /** SHA-256 of an old key that does not contain the id of its invitation. */
    formerKeyHash: string | null
    channelIds: Json
    groupIds: Json
    includesDefaultChannels: Bit
    notifiesInviter: Bit
    /** The maximum number of accounts that can join: one for an invitation by email; null for an unlimited link. */
    maxUses: number | null
    uses: number
    /** The permitted domains of addresses; any domain if empty. */
    allowedDomains: Json
    /** The time at which an expired invitation was last requested again. */
    askedAgainAt: number | null
    /** The time at which the link became invalid; the reason is `InvitationEnd`. */
    endedAt: number | null
    endedAs: string | null
  }

  /** The number of invitations that an organization emailed on a UTC day (days since 1970). */
  invitationCounts: { realmId: number; day: number; count: number }

  /** The number of invitations that a user emailed on the UTC day of their last invitation. */
  inviterCounts: { userId: number; day: number; count: number }
}
