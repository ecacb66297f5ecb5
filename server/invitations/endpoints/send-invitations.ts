import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { invitationFailed } from '../invitation-failed.ts'
import { noAddress, sendInvitations, tooManyAddresses } from '../send-invitations.ts'
import { splitAddresses } from '../split-addresses.ts'
import { invitationParams, invitationRefusals, toInvitationOptions } from './invitation-params.ts'

/**
 * The maximum number of units of work that a request is charged for. Without it, inviting a whole organization would
 * delay the user's next request.
 */
const MAX_UNITS = 250

export const sendInvitationsEndpoint = endpoint({
  route: 'POST /invites',
  summary: 'Send invitations',
  description:
    'Invites people by email, each with their own link. If some addresses already have an account, the ' +
    'others are still invited, and the error INVITATION_FAILED has `sent_invitations` true.',
  who: 'member',
  params: {
    invitee_emails: z.string().describe('Email addresses, separated by commas or line feeds.'),
    ...invitationParams,
  },
  refuses: [...invitationRefusals, noAddress, tooManyAddresses, invitationFailed],
  async handle(call, params) {
    const { transaction, actor, settings } = call
    call.charge(Math.min(MAX_UNITS, splitAddresses(params.invitee_emails).length))
    const options = toInvitationOptions(params, settings.INVITATION_LINK_VALIDITY_MINUTES)

    const skipped = await transaction((tx) => sendInvitations(tx, actor, params.invitee_emails, options))

    if (skipped.length > 0)
      throw invitationFailed({
        reason:
          "Some of those addresses are already using Parley, so we didn't send them an invitation. We did send invitations to everyone else!",
        errors: skipped,
        sent_invitations: true,
      })
    return {}
  },
})
