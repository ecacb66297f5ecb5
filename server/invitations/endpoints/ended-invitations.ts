import { z } from 'zod'
import { endpoint } from '../../http/endpoint.ts'
import { isAdministrator } from '../../people/users/role.ts'
import { invitationEndReasons, invitationStateOf } from '../invitation.ts'
import { invitationJson, toEndedInvitationJson } from '../invitation-json.ts'
import { findEndedInvitations } from '../queries.ts'

/** How long ago an invitation may have ended to be told of, in seconds. */
const LISTED_SECONDS = 30 * 86_400

const endedJson = invitationJson.omit({ link_url: true }).extend({
  state: z.enum(['expired', ...invitationEndReasons]),
  ended_at: z.int(),
})

export const listEndedInvitations = endpoint({
  route: 'GET /invites/ended',
  summary: 'Get the invitations that ended',
  description:
    'Those of the last 30 days, of both kinds, that were used, withdrawn or expired, the latest first: all of them for ' +
    'administrators, their own for others. Expired ones can be extended.',
  who: 'member',
  returns: { invites: z.array(endedJson) },
  async handle({ db, actor, clock }) {
    const now = clock.now()
    const inviterId = isAdministrator(actor) ? null : actor.id
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
