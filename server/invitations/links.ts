import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors.ts'
import { recordAudit } from '#people/audit.ts'
import type { Actor } from '#people/users.ts'
import { domainNameRefusals, requireDomainName } from '#realms/domains.ts'
import type { Transaction } from '#storage/storage.ts'
import { type Invitation, type InvitationOptions, invitationLinkUrl } from './invitation.ts'
import {
  alreadyRevoked,
  requireActiveInviter,
  requireGrantableChannels,
  requireGrantableGroups,
  requireMayInvite,
  requireMayInviteAs,
} from './inviting/access.ts'
import {
  invitationParams,
  invitationRefusals,
  lifetimeRefusals,
  requireLifetime,
  toInvitationOptions,
} from './inviting/invitation-params.ts'
import {
  emitInvitationsChanged,
  extendLink,
  extensionParams,
  extensionRefusals,
  managementRefusals,
  revokeLink,
} from './manage-invitations.ts'
import { newInvitation, saveInvitations } from './queries.ts'

// Links with which several people can join: creating, extending and revoking them.

/** The restrictions on who can use a link. */
type LinkLimits = Pick<Invitation, 'maxUses' | 'allowedDomains'>

const tooFewUses = refusal('BAD_REQUEST', 400, 'A link must allow at least one account.', { field: 'max_uses' })

/** Creates a link with which several people can join, each with an address of their own. Returns its URL. */
export async function createLink(
  tx: Transaction,
  actor: Actor,
  options: InvitationOptions,
  { maxUses, allowedDomains }: LinkLimits,
  secret: KeyObject,
): Promise<string> {
  if (maxUses !== null && maxUses < 1) throw tooFewUses()
  const viewer = viewerOf(tx.db, actor, tx.now)
  await requireMayInvite(viewer, 'link')
  requireMayInviteAs(actor, options.role)
  await requireGrantableChannels(viewer, options.channelIds)
  await requireGrantableGroups(viewer, options.groupIds)
  const domains = [...new Set(allowedDomains.map(requireDomainName))]
  await requireActiveInviter(tx, actor)

  const link = newInvitation(tx, actor, options, { email: null, maxUses, allowedDomains: domains })
  const [id] = await saveInvitations(tx, [link])
  await recordAudit(tx, actor.realmId, 'invitation_link_created', { role: options.role })
  await emitInvitationsChanged(tx, actor.realmId, [actor.id])
  return invitationLinkUrl(
    actor.realm,
    { ...link, id: id as number, formerKeyHash: null },
    tx.db.settings.EXTERNAL_URL,
    secret,
  )
}

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
