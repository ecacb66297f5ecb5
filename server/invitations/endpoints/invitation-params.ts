import { z } from 'zod'
import { invalidUserGroup, userGroupDeactivated } from '../../groups/access.ts'
import { anyInteger, exactInteger } from '../../http/params.ts'
import { insufficientPermission } from '../../people/users/access.ts'
import { isRole, Role } from '../../people/users/role.ts'
import { refusal } from '../../platform/errors/refusal.ts'
import * as access from '../access.ts'
import type { InvitationOptions } from '../invitation.ts'

/** In minutes: some 7,600 years, beyond which dates cannot be written. */
const MAX_LIFETIME = 4_000_000_000

export const lifetimeTooShort = refusal('BAD_REQUEST', 400, 'An invitation must be valid for at least one minute.')
export const lifetimeTooLong = refusal('BAD_REQUEST', 400, 'An invitation cannot be valid for so long.')

export const lifetimeRefusals = [lifetimeTooShort, lifetimeTooLong]

/** Minutes; null: for ever. */
export const lifetimeParam = z.int().nullable()

export function requireLifetime(minutes: number | null): number | null {
  if (minutes !== null && minutes < 1) throw lifetimeTooShort()
  if (minutes !== null && minutes > MAX_LIFETIME) throw lifetimeTooLong()
  return minutes
}

/** What newcomers are to get. */
export const invitationParams = {
  invite_expires_in_minutes: lifetimeParam
    .optional()
    .describe('Minutes until the invitation expires; null for never. INVITATION_LINK_VALIDITY_MINUTES when omitted.'),
  invite_as: z
    .int()
    .refine(isRole)
    .default(Role.member)
    .describe('The role of the account: 100 owner, 200 administrator, 300 moderator, 400 member, 600 guest.'),
  notify_referrer_on_join: z.boolean().default(true).describe('Whether the inviter is told when an account is made.'),
  stream_ids: z.array(exactInteger).describe('Ids of the channels that the new account is subscribed to.'),
  group_ids: z.array(anyInteger).default([]).describe('Ids of the user groups that it becomes a member of.'),
  include_realm_default_subscriptions: z
    .boolean()
    .default(false)
    .describe("Whether it is subscribed to the organization's default channels as well."),
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

/** `usualLifetime` is that of an offer that names none. */
export function toInvitationOptions(params: InvitationParams, usualLifetime: number): InvitationOptions {
  const { invite_expires_in_minutes: minutes = usualLifetime } = params
  return {
    role: params.invite_as as Role,
    lifetimeMinutes: requireLifetime(minutes),
    channelIds: params.stream_ids,
    groupIds: params.group_ids,
    includesDefaultChannels: params.include_realm_default_subscriptions,
    notifiesInviter: params.notify_referrer_on_join,
  }
}
