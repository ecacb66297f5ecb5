import { z } from 'zod'
import { invalidUserGroup, userGroupDeactivated } from '#groups/access.ts'
import { anyInteger, exactInteger } from '#http/params.ts'
import { refusal } from '#lib/errors.ts'
import { insufficientPermission } from '#people/access.ts'
import { isRole, Role } from '#rules/role.ts'
import type { InvitationOptions } from '../invitation.ts'
import * as access from './access.ts'

/**
 * The maximum lifetime of an invitation, in minutes. It is about 7,600 years, because years above 9999 cannot be
 * formatted.
 */
const MAX_LIFETIME = 4_000_000_000

const lifetimeTooShort = refusal('BAD_REQUEST', 400, 'An invitation must be valid for at least one minute.', {
  field: 'invite_expires_in_minutes',
})
const lifetimeTooLong = refusal('BAD_REQUEST', 400, 'The lifetime of the invitation is too long.', {
  field: 'invite_expires_in_minutes',
})

export const lifetimeRefusals = [lifetimeTooShort, lifetimeTooLong]

/** The lifetime of an invitation in minutes; null means that it never expires. */
export const lifetimeParam = z.int().nullable()

export function requireLifetime(minutes: number | null): number | null {
  if (minutes !== null && minutes < 1) throw lifetimeTooShort()
  if (minutes !== null && minutes > MAX_LIFETIME) throw lifetimeTooLong()
  return minutes
}

/** The parameters that email invitations and links have in common. */
export const invitationParams = {
  invite_expires_in_minutes: lifetimeParam
    .optional()
    .describe('Minutes until the invitation expires; null for never. INVITATION_LINK_VALIDITY_MINUTES by default.'),
  invite_as: z
    .int()
    .refine(isRole)
    .default(Role.member)
    .describe('The role of the new account: 100 owner, 200 administrator, 300 moderator, 400 member, 600 guest.'),
  notify_referrer_on_join: z
    .boolean()
    .default(true)
    .describe('Whether the inviter is notified when the invitation is accepted.'),
  stream_ids: z.array(exactInteger).describe('Ids of the channels that the new account joins.'),
  group_ids: z.array(anyInteger).default([]).describe('Ids of the user groups that the new account joins.'),
  include_realm_default_subscriptions: z
    .boolean()
    .default(false)
    .describe("Whether the new account also joins the organization's default channels."),
}

type InvitationParams = {
  invite_expires_in_minutes?: number | null | undefined
  invite_as: number
  notify_referrer_on_join: boolean
  stream_ids: (number | bigint)[]
  group_ids: number[]
  include_realm_default_subscriptions: boolean
}

export const invitationRefusals = [
  ...lifetimeRefusals,
  insufficientPermission,
  access.mustBeOwnerToInviteOwners,
  access.mustBeAdministratorForInvitation,
  access.mustBeModeratorToInviteModerators,
  access.invalidInvitationChannel,
  access.mayNotSubscribeOthers,
  invalidUserGroup,
  userGroupDeactivated,
]

/**
 * Converts the parameters to the options of an invitation. `defaultLifetime`, in minutes, applies if the request
 * contains no lifetime.
 */
export function toInvitationOptions(params: InvitationParams, defaultLifetime: number): InvitationOptions {
  const { invite_expires_in_minutes: minutes = defaultLifetime } = params
  return {
    role: params.invite_as as Role,
    lifetimeMinutes: requireLifetime(minutes),
    channelIds: params.stream_ids,
    groupIds: params.group_ids,
    includesDefaultChannels: params.include_realm_default_subscriptions,
    notifiesInviter: params.notify_referrer_on_join,
  }
}
