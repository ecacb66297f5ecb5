import { z } from 'zod'
import { type EmailInvitation, type Invitation, isByEmail } from './invitation.ts'

/** An email invitation has `email`; a link has `link_url` and the restrictions on its use. */
export const invitationJson = z.object({
  id: z.int(),
  email: z.string().optional(),
  invited_by_user_id: z.int(),
  invited: z.int(),
  expiry_date: z.int().nullable(),
  invited_as: z.int(),
  notify_referrer_on_join: z.boolean(),
  is_multiuse: z.boolean(),
  link_url: z.string().optional(),
  uses: z.int().optional().describe('The number of accounts created with the link.'),
  max_uses: z.int().nullable().optional().describe('The maximum number of accounts; null for no limit.'),
  allowed_domains: z
    .array(z.string())
    .optional()
    .describe('The allowed domains of addresses; empty for no restriction.'),
})

type InvitationJson = z.infer<typeof invitationJson>

export function toInvitationJson(invitation: EmailInvitation): InvitationJson {
  return { ...commonFields(invitation), email: invitation.email, is_multiuse: false }
}

/**
 * Returns the link as clients see it. `url` is null for users who may see the link in the list but may not use it.
 * Clients of the reference server do not know limits on links. The fields of a limit are therefore included only if it
 * is set or `isFull` is true.
 */
export function toLinkJson(link: Invitation, url: string | null, isFull: boolean): InvitationJson {
  const { uses, maxUses: max_uses, allowedDomains: allowed_domains } = link
  return {
    ...commonFields(link),
    is_multiuse: true,
    ...(url !== null && { link_url: url }),
    ...((isFull || max_uses !== null) && { uses, max_uses }),
    ...((isFull || allowed_domains.length > 0) && { allowed_domains }),
  }
}

/** Returns an invitation that has ended or expired, without `link_url`. */
export function toEndedInvitationJson(invitation: Invitation): Omit<InvitationJson, 'link_url'> {
  return isByEmail(invitation) ? toInvitationJson(invitation) : toLinkJson(invitation, null, true)
}

function commonFields(invitation: Invitation) {
  return {
    id: invitation.id,
    invited_by_user_id: invitation.inviterId,
    invited: Math.floor(invitation.sentAt),
    expiry_date: invitation.expiresAt === null ? null : Math.floor(invitation.expiresAt),
    invited_as: invitation.role,
    notify_referrer_on_join: invitation.notifiesInviter,
  }
}
