import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { listableInviterId } from '../access.ts'
import { invitationEndReasons, invitationStateOf } from '../invitation.ts'
import { invitationJson, toEndedInvitationJson } from '../invitation-json.ts'
import { findEndedInvitations } from '../queries.ts'

/** Seconds for which an invitation stays in the list after it has ended or expired. */
const LISTED_SECONDS = 30 * 86_400

const endedJson = invitationJson.omit({ link_url: true }).extend({
  state: z.enum(['expired', ...invitationEndReasons]),
  ended_at: z.int(),
})

export const listEndedInvitations = endpoint({
  route: 'GET /invites/ended',
  summary: 'List invitations that were used or revoked, or have expired',
  description:
    'The invitations and links of the last 30 days that were used, revoked or expired, latest first. ' +
    'Administrators get all of them, other users their own. Expired ones can be extended.',
  who: 'member',
  returns: { invites: z.array(endedJson) },
  async handle({ db, actor, clock }) {
    const now = clock.now()
    const inviterId = listableInviterId(actor)
    const ended = await findEndedInvitations(db, actor.realmId, { since: now - LISTED_SECONDS, now, inviterId })
    return {
      invites: ended.map((invitation) => ({
        ...toEndedInvitationJson(invitation),
        state: invitationStateOf(invitation, now) as z.infer<typeof endedJson>['state'],
        ended_at: Math.floor(invitation.endedAt ?? invitation.expiresAt ?? now),
      })),
    }
  },
})
