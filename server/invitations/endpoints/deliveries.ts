import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { deliveryJson, toDeliveryJson } from '#mail/mail-json.ts'
import { findNewestMails } from '#mail/queries.ts'
import { listableInviterId } from '../access.ts'
import { findPendingInvitations } from '../queries.ts'
import { INVITATION_TEMPLATE } from '../templates.ts'

export const listDeliveries = endpoint({
  route: 'GET /invites/deliveries',
  summary: 'Get the delivery status of invitation emails',
  description:
    'The newest email of each pending invitation. Administrators get those of all invitations, other ' +
    'users those of their own.',
  who: 'member',
  returns: { deliveries: z.array(deliveryJson.extend({ invite_id: z.int(), mail_id: z.int() })) },
  async handle({ db, actor, clock }) {
    const inviterId = listableInviterId(actor)
    const invitations = await findPendingInvitations(db, actor.realmId, clock.now(), inviterId)
    const mails = await findNewestMails(
      db,
      invitations.map(({ id }) => id),
      INVITATION_TEMPLATE,
    )
    return {
      deliveries: mails.map((mail) => ({
        invite_id: mail.invitationId as number,
        mail_id: mail.id,
        ...toDeliveryJson(mail),
      })),
    }
  },
})
