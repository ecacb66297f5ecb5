import type { Role } from '../users/role.ts'

/** An invitation by e-mail. */
export type Invitation = {
  id: number
  realmId: number
  inviterId: number
  email: string
  role: Role
  createdAt: number
  /** When it was sent last. */
  sentAt: number
  /** Null: it never expires. */
  lifetimeMinutes: number | null
  expiresAt: number | null
  keySeed: string
  channelIds: number[]
  groupIds: number[]
  includesDefaultChannels: boolean
  notifiesInviter: boolean
  endedAt: number | null
  endedAs: InvitationEnd | null
}

/** How an invitation ended before it expired. */
export type InvitationEnd = 'accepted' | 'revoked' | 'superseded'

const MINUTE = 60

/** Invitations that live shorter get no reminder, in minutes. */
const LEAST_REMINDED_LIFETIME = 4 * 24 * 60

/** How long before the end the reminder is due, in minutes. */
const REMINDER_LEAD = 2 * 24 * 60

/** When an invitation sent at `sentAt` expires. */
export function expiryOf(sentAt: number, lifetimeMinutes: number | null): number | null {
  return lifetimeMinutes === null ? null : sentAt + lifetimeMinutes * MINUTE
}

/** When its reminder is due; null for one that gets none. */
export function reminderDueAt(sentAt: number, lifetimeMinutes: number | null): number | null {
  if (lifetimeMinutes === null || lifetimeMinutes < LEAST_REMINDED_LIFETIME) return null
  return sentAt + (lifetimeMinutes - REMINDER_LEAD) * MINUTE
}

/** Whether its link opens anything: not ended, and not past its end. */
export function isPending(invitation: Invitation, now: number): boolean {
  return invitation.endedAt === null && (invitation.expiresAt === null || now <= invitation.expiresAt)
}

export type InvitationJson = {
  id: number
  email: string
  invited_by_user_id: number
  invited: number
  expiry_date: number | null
  invited_as: number
  notify_referrer_on_join: boolean
  is_multiuse: boolean
}

export function toInvitationJson(invitation: Invitation): InvitationJson {
  return {
    id: invitation.id,
    email: invitation.email,
    invited_by_user_id: invitation.inviterId,
    invited: Math.floor(invitation.sentAt),
    expiry_date: invitation.expiresAt === null ? null : Math.floor(invitation.expiresAt),
    invited_as: invitation.role,
    notify_referrer_on_join: invitation.notifiesInviter,
    is_multiuse: false,
  }
}
