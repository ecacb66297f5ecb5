import { z } from 'zod'
import { endpoint } from '../../http/endpoint.ts'
import { domainNameRefusals } from '../../organizations/realms/domain-name.ts'
import { refusal } from '../../platform/errors/refusal.ts'
import { alreadyRevoked } from '../access.ts'
import { createLink } from '../create-link.ts'
import { extendLink, revokeLink } from '../manage-invitations.ts'
import {
  invitationParams,
  invitationRefusals,
  lifetimeRefusals,
  requireLifetime,
  toInvitationOptions,
} from './invitation-params.ts'
import { extensionParams, extensionRefusals, managementRefusals } from './manage-invitations.ts'

export const tooFewUses = refusal('BAD_REQUEST', 400, 'A link must be good for at least one account.')

export const createLinkEndpoint = endpoint({
  route: 'POST /invites/multiuse',
  summary: 'Make a reusable invitation link',
  description: 'By it anybody to whom it is given can join, with an address of their own.',
  who: 'member',
  params: {
    ...invitationParams,
    stream_ids: invitationParams.stream_ids.default([]),
    max_uses: z.int().nullable().default(null).describe('How many accounts may come of it; null for any number.'),
    allowed_domains: z
      .array(z.string())
      .default([])
      .describe('The domains, without their subdomains, in which addresses must be; empty for any.'),
  },
  returns: { invite_link: z.string() },
  refuses: [...invitationRefusals, tooFewUses, ...domainNameRefusals],
  async handle({ transaction, actor, settings, secret }, params) {
    const offer = toInvitationOptions(params, settings.INVITATION_LINK_VALIDITY_MINUTES)
    if (params.max_uses !== null && params.max_uses < 1) throw tooFewUses()
    const limits = { maxUses: params.max_uses, allowedDomains: params.allowed_domains }

    return { invite_link: await transaction((tx) => createLink(tx, actor, offer, limits, secret)) }
  },
})

export const extendLinkEndpoint = endpoint({
  route: 'PATCH /invites/multiuse/{invite_id}',
  summary: 'Extend a reusable invitation link',
  description: 'It is valid for so long from now, even if it had expired.',
  who: 'member',
  params: extensionParams,
  refuses: [...lifetimeRefusals, ...extensionRefusals, alreadyRevoked],
  async handle({ transaction, actor }, { invite_id, invite_expires_in_minutes }) {
    const minutes = requireLifetime(invite_expires_in_minutes)
    await transaction((tx) => extendLink(tx, actor, invite_id, minutes))
    return {}
  },
})

export const revokeLinkEndpoint = endpoint({
  route: 'DELETE /invites/multiuse/{invite_id}',
  summary: 'Withdraw a reusable invitation link',
  who: 'member',
  refuses: [...managementRefusals, alreadyRevoked],
  async handle({ transaction, actor }, { invite_id }) {
    await transaction((tx) => revokeLink(tx, actor, invite_id))
    return {}
  },
})
