import type { Generated } from 'kysely'
import type { Bit, Json } from './columns.ts'

export type InvitationTables = {
  invitations: {
    id: Generated<number>
    realmId: number
    inviterId: number
    /** Null: a link that many may use, each with an address of their own. */
    email: string | null
    /** The address in lower case. */
    emailKey: string | null
    role: number
    createdAt: number
    /** When it was sent last: a resend starts its life-time again. */
    sentAt: number
    /** Null: it never expires. */
    lifetimeMinutes: number | null
    expiresAt: number | null
    /** What the link's key is derived from, together with a secret of the server; in hexadecimal. */
    keySeed: string
    /** SHA-256 of the key where that does not say which invitation it opens, as once none did. */
    formerKeyHash: string | null
    channelIds: Json
    groupIds: Json
    includesDefaultChannels: Bit
    notifiesInviter: Bit
    /** How many accounts may come of it: one for an address, any number where a link has null. */
    maxUses: number | null
    uses: number
    /** Domains in which addresses must be; where none is named, any. */
    allowedDomains: Json
    /** When somebody last asked for another one, after it had expired. */
    askedAgainAt: number | null
    /** When the link was ended, and by what: `InvitationEnd`. */
    endedAt: number | null
    endedAs: string | null
  }

  /** How many invitations an organization mailed on a UTC day (days since 1970). */
  invitationCounts: { realmId: number; day: number; count: number }

  /** How many invitations a person mailed on the UTC day on which they last mailed any. */
  inviterCounts: { userId: number; day: number; count: number }
}
