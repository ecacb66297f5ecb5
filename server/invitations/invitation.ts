import type { Role } from '#rules/role.ts'

/** The role, channels and groups that an invitation gives to the new account, and how long it is valid. */
export type InvitationOptions = {
  role: Role
  /** The ids as the client sent them. A `bigint` matches no channel. */
  channelIds: (number | bigint)[]
  groupIds: number[]
  includesDefaultChannels: boolean
  notifiesInviter: boolean
  /** Null means that the invitation never expires. */
  lifetimeMinutes: number | null
}

/** An email invitation to one address, or a link that several people can use. */
export type Invitation = InvitationOptions & {
  id: number
  realmId: number
  channelIds: number[]
  inviterId: number
  /** Null for links, because people who join by a link enter their own address. */
  email: string | null
  createdAt: number
  /** The time at which the invitation was last sent or its lifetime was last restarted. */
  sentAt: number
  expiresAt: number | null
  keySeed: string
  /**
   * The SHA-256 hash of a key in the old format, which does not contain the invitation's id; null for keys in the
   * current format.
   */
  formerKeyHash: string | null
  /** The maximum number of accounts that can be created: 1 for an email invitation, null for a link without a limit. */
  maxUses: number | null
  uses: number
  /** The domains to which addresses must belong. An empty list allows all domains. */
  allowedDomains: string[]
  endedAt: number | null
  endedAs: InvitationEndReason | null
}

export type EmailInvitation = Invitation & { email: string }

export function isByEmail(invitation: Invitation): invitation is EmailInvitation {
  return invitation.email !== null
}

/**
 * The reason why an invitation ended, after which its link no longer works. An invitation that expires has none.
 * `superseded`: its address got an account through another invitation. `registered`: its address got an account without
 * any invitation.
 */
export type InvitationEndReason = (typeof invitationEndReasons)[number]

export const invitationEndReasons = ['accepted', 'revoked', 'superseded', 'registered', 'inviter-deactivated'] as const

const MINUTE = 60

/** The minimum lifetime, in minutes, of invitations that get a reminder. */
const MIN_REMINDED_LIFETIME = 4 * 24 * 60

/** Minutes from the reminder to the expiry. */
const REMINDER_LEAD = 2 * 24 * 60

/** Returns the time at which an invitation that was sent at `sentAt` expires; null for never. */
export function expiryOf(sentAt: number, lifetimeMinutes: number | null): number | null {
  return lifetimeMinutes === null ? null : sentAt + lifetimeMinutes * MINUTE
}

/** Returns the time at which the reminder is due; null if the invitation gets none. */
export function reminderDueAt(sentAt: number, lifetimeMinutes: number | null): number | null {
  if (lifetimeMinutes === null || lifetimeMinutes < MIN_REMINDED_LIFETIME) return null
  return sentAt + (lifetimeMinutes - REMINDER_LEAD) * MINUTE
}

export type InvitationState = 'pending' | 'expired' | InvitationEndReason

export function invitationStateOf({ endedAs, expiresAt }: Invitation, now: number): InvitationState {
  if (endedAs !== null) return endedAs
  return expiresAt !== null && now > expiresAt ? 'expired' : 'pending'
}

/** Returns whether the invitation has neither ended nor expired. */
export function isPending(invitation: Invitation, now: number): boolean {
  return invitationStateOf(invitation, now) === 'pending'
}
