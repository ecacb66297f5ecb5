import { z } from 'zod'
import { type EmailInvitation, type Invitation, isByEmail } from './invitation.ts'

/** An invitation by e-mail has `email`; a link has `link_url` and what restricts who uses it. */
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
  uses: z.int().optional().describe('How many accounts came of the link.'),
  max_uses: z.int().nullable().optional().describe('How many may; null for any number.'),
  allowed_domains: z.array(z.string()).optional().describe('Where addresses must be; empty for anywhere.'),
})

type InvitationJson = z.infer<typeof invitationJson>

export function toInvitationJson(invitation: EmailInvitation): InvitationJson {
  return { ...commonFields(invitation), email: invitation.email, is_multiuse: false }
}

/**
 * `url` is null for those who may see that there is a link, and not use it. Clients of the reference server know no
 * limits of links, so a link has the fields of a limit only if it has the limit, or if `isFull`.
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

/** One that opens nothing any more: without its link. */
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
