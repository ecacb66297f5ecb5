import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { isolatedPage } from '#http/pages/isolated-page.ts'
import { page } from '#http/pages/page.ts'
import { notForGuests } from '#http/refusals.ts'
import { isGuest, isRole, Role } from '#rules/role.ts'
import { previewInvitation } from '../preview.ts'
import { invitationParams, lifetimeRefusals, requireLifetime } from './invitation-params.ts'

const { invite_as, invite_expires_in_minutes } = invitationParams

export const previewInvitationEndpoint = endpoint({
  route: 'GET /invites/preview',
  summary: 'Preview the email of an invitation',
  description: 'No email is sent, and the link in it does not work.',
  who: 'member',
  params: { invite_as, invite_expires_in_minutes },
  returns: { subject: z.string(), text: z.string() },
  refuses: lifetimeRefusals,
  handle({ db, actor, clock, settings }, params) {
    const { invite_expires_in_minutes: minutes = settings.INVITATION_LINK_VALIDITY_MINUTES } = params
    const options = { role: params.invite_as as Role, lifetimeMinutes: requireLifetime(minutes) }
    const { subject, text } = previewInvitation(db, actor, options, clock.now())
    return { subject, text }
  },
})

/** Returns the HTML of the previewed email, for the frame in which the web client shows it. */
export const showInvitationPreview = page({
  route: 'GET /invites/preview/html',
  who: 'user',
  handle({ db, visitor, clock, query }) {
    if (isGuest(visitor.actor)) throw notForGuests()
    const role = Number(query.get('invite_as'))
    const minutes = Number(query.get('minutes') ?? '')
    const options = {
      role: isRole(role) ? role : Role.member,
      lifetimeMinutes: minutes > 0 ? requireLifetime(Math.round(minutes)) : null,
    }
    return isolatedPage(previewInvitation(db, visitor.actor, options, clock.now()).html)
  },
})
