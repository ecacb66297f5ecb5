import { z } from 'zod'
import { endpoint } from '../../http/endpoint.ts'
import { invitationFailed } from '../invitation-failed.ts'
import { noAddress, sendInvitations, tooManyAddresses } from '../send-invitations.ts'
import { invitationParams, invitationRefusals, toInvitationOptions } from './invitation-params.ts'

export const sendInvitationsEndpoint = endpoint({
  route: 'POST /invites',
  summary: 'Send invitations',
  description:
    'Invites by e-mail, each address with a link of its own. When some addresses have an account already, the others ' +
    'are invited all the same and the answer is INVITATION_FAILED with `sent_invitations` true.',
  who: 'member',
  params: {
    invitee_emails: z.string().describe('E-mail addresses, separated by commas or line feeds.'),
    ...invitationParams,
  },
  refuses: [...invitationRefusals, noAddress, tooManyAddresses, invitationFailed],
  async handle({ transaction, actor, settings }, params) {
    const offer = toInvitationOptions(params, settings.INVITATION_LINK_VALIDITY_MINUTES)

    const skipped = await transaction((tx) => sendInvitations(tx, actor, params.invitee_emails, offer))

    if (skipped.length > 0)
      throw invitationFailed({
        reason:
          'Some of those addresses are already using Parley, so we did not send them an invitation. We did send invitations to everyone else!',
        errors: skipped,
        sent_invitations: true,
      })
    return {}
  },
})
