import { z } from 'zod'
import { deliveryJson, toDeliveryJson } from '../../delivery/mail/endpoints/mail-json.ts'
import { findNewestMails } from '../../delivery/mail/queries.ts'
import { endpoint } from '../../http/endpoint.ts'
import { isAdministrator } from '../../people/users/role.ts'
import { findPendingInvitations } from '../queries.ts'
import { INVITATION_TEMPLATE } from '../templates.ts'

export const listDeliveries = endpoint({
  route: 'GET /invites/deliveries',
  summary: 'Get how far the mails of invitations came',
  description:
    'The newest mail of each invitation by e-mail that is neither used, withdrawn nor expired: of all of them for ' +
    'administrators, of their own for others.',
  who: 'member',
  returns: { deliveries: z.array(deliveryJson.extend({ invite_id: z.int(), mail_id: z.int() })) },
  async handle({ db, actor, clock }) {
    const inviterId = isAdministrator(actor) ? null : actor.id
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
