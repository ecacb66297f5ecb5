import type { Role } from '../people/users/role.ts'

/** What newcomers get with their account. */
export type InvitationOptions = {
  role: Role
  /** As they were asked for: a `bigint` is no channel's. */
  channelIds: (number | bigint)[]
  groupIds: number[]
  includesDefaultChannels: boolean
  notifiesInviter: boolean
  /** Null: it never expires. */
  lifetimeMinutes: number | null
}

/** An invitation to one address, or a link that many may use. */
export type Invitation = InvitationOptions & {
  id: number
  realmId: number
  channelIds: number[]
  inviterId: number
  /** Null for links, whose users bring an address of their own. */
  email: string | null
  createdAt: number
  /** When it was sent last, or its life-time began anew. */
  sentAt: number
  expiresAt: number | null
  keySeed: string
  /** SHA-256 of a key of the former kind, which does not say what it opens; null for all others. */
  formerKeyHash: string | null
  /** How many accounts may come of it: 1 for an address; null where a link has no limit. */
  maxUses: number | null
  uses: number
  /** Domains in which addresses must be; where none is named, any. */
  allowedDomains: string[]
  endedAt: number | null
  endedAs: InvitationEndReason | null
}

export type EmailInvitation = Invitation & { email: string }

export function isByEmail(invitation: Invitation): invitation is EmailInvitation {
  return invitation.email !== null
}

/**
 * How an invitation ended before it expired. Its address has an account now by another invitation (`superseded`), or by
 * none (`registered`).
 */
export type InvitationEndReason = (typeof invitationEndReasons)[number]

export const invitationEndReasons = ['accepted', 'revoked', 'superseded', 'registered', 'inviter-deactivated'] as const

const MINUTE = 60

/** Invitations that live shorter get no reminder, in minutes. */
const MIN_REMINDED_LIFETIME = 4 * 24 * 60

/** How long before the end the reminder is due, in minutes. */
const REMINDER_LEAD = 2 * 24 * 60

/** When an invitation sent at `sentAt` expires. */
export function expiryOf(sentAt: number, lifetimeMinutes: number | null): number | null {
  return lifetimeMinutes === null ? null : sentAt + lifetimeMinutes * MINUTE
}

/** When its reminder is due; null for one that gets none. */
export function reminderDueAt(sentAt: number, lifetimeMinutes: number | null): number | null {
  if (lifetimeMinutes === null || lifetimeMinutes < MIN_REMINDED_LIFETIME) return null
  return sentAt + (lifetimeMinutes - REMINDER_LEAD) * MINUTE
}

export type InvitationState = 'pending' | 'expired' | InvitationEndReason

export function invitationStateOf({ endedAs, expiresAt }: Invitation, now: number): InvitationState {
  if (endedAs !== null) return endedAs
  return expiresAt !== null && now > expiresAt ? 'expired' : 'pending'
}

/** Whether its link opens anything: not ended, and not past its end. */
export function isPending(invitation: Invitation, now: number): boolean {
  return invitationStateOf(invitation, now) === 'pending'
}
