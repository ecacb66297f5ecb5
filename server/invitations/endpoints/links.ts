import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { domainNameRefusals } from '#realms/domain-name.ts'
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

const tooFewUses = refusal('BAD_REQUEST', 400, 'A link must allow at least one account.', { field: 'max_uses' })

export const createLinkEndpoint = endpoint({
  route: 'POST /invites/multiuse',
  summary: 'Create a reusable invitation link',
  description: 'Everyone who has the link can join with their own email address.',
  who: 'member',
  params: {
    ...invitationParams,
    stream_ids: invitationParams.stream_ids.default([]),
    max_uses: z.int().nullable().default(null).describe('The maximum number of accounts; null for no limit.'),
    allowed_domains: z
      .array(z.string())
      .default([])
      .describe('The allowed domains of addresses, without subdomains; empty for no restriction.'),
  },
  returns: { invite_link: z.string() },
  refuses: [...invitationRefusals, tooFewUses, ...domainNameRefusals],
  async handle({ transaction, actor, settings, secret }, params) {
    const options = toInvitationOptions(params, settings.INVITATION_LINK_VALIDITY_MINUTES)
    if (params.max_uses !== null && params.max_uses < 1) throw tooFewUses()
    const limits = { maxUses: params.max_uses, allowedDomains: params.allowed_domains }

    return { invite_link: await transaction((tx) => createLink(tx, actor, options, limits, secret)) }
  },
})

export const extendLinkEndpoint = endpoint({
  route: 'PATCH /invites/multiuse/{invite_id}',
  summary: 'Extend a reusable invitation link',
  description: 'Restarts the lifetime, even if the link has expired.',
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
  summary: 'Revoke a reusable invitation link',
  who: 'member',
  refuses: [...managementRefusals, alreadyRevoked],
  async handle({ transaction, actor }, { invite_id }) {
    await transaction((tx) => revokeLink(tx, actor, invite_id))
    return {}
  },
})
