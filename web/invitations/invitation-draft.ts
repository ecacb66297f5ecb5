import { queryOptions, useQuery } from '@tanstack/react-query'
import { Role } from '#rules/role.ts'
import { type AnswerOf, call } from '../api/call.ts'
import { useOrganization } from '../store/organization.ts'
import { t } from '../text/t.ts'

/** The choices for invitations that the server allows the user. */
export type InvitationChoices = AnswerOf<'GET /invites/choices'>

export const invitationChoices = queryOptions({
  queryKey: ['inviting-choices'],
  queryFn: ({ signal }) => call('GET /invites/choices', {}, { signal }),
})

export const pendingInvitations = queryOptions({
  queryKey: ['invitations', 'pending'],
  queryFn: async ({ signal }) => (await call('GET /invites', {}, { signal })).invites,
})

/**
 * Returns the ways in which the user may invite people. `byLink` is false until the server has confirmed that they may
 * create links.
 */
export function useMayInvite(): { byEmail: boolean; byLink: boolean } {
  const { can_invite_others_to_realm: byEmail, is_guest } = useOrganization('can_invite_others_to_realm', 'is_guest')
  const { data } = useQuery({ ...invitationChoices, enabled: !is_guest })
  return { byEmail, byLink: data?.may_make_links ?? false }
}

/** The values in the form of an invitation: expiry, role, channels and groups. */
export type InvitationDraft = {
  role: number
  /** The lifetime: minutes as a string, `custom` or `never`. */
  lifetime: string
  /** The number of days of a `custom` lifetime. */
  days: string
  channelIds: readonly number[]
  groupIds: readonly number[]
  includesDefaults: boolean
  notifies: boolean
}

const DAY = 24 * 60

export const LIFETIMES = [
  { id: '60', label: t('1 hour') },
  { id: String(DAY), label: t('1 day') },
  { id: String(3 * DAY), label: t('3 days') },
  { id: String(10 * DAY), label: t('10 days') },
  { id: String(30 * DAY), label: t('30 days') },
]

export function newInvitationDraft(choices: InvitationChoices): InvitationDraft {
  const usual = String(choices.default_lifetime_minutes)
  const isPreset = LIFETIMES.some(({ id }) => id === usual)
  return {
    role: choices.roles.includes(Role.member) ? Role.member : (choices.roles.at(-1) ?? Role.member),
    lifetime: isPreset ? usual : 'custom',
    days: String(Math.max(1, Math.round(choices.default_lifetime_minutes / DAY))),
    channelIds: [],
    groupIds: [],
    includesDefaults: choices.default_channels.length > 0,
    notifies: true,
  }
}

/** Removes channels and groups that are no longer allowed, and replaces a role that is no longer allowed. */
export function restrictDraft(offer: InvitationDraft, choices: InvitationChoices): InvitationDraft {
  const isAmong = (all: readonly { id: number }[]) => (id: number) => all.some((one) => one.id === id)
  return {
    ...offer,
    role: choices.roles.includes(offer.role) ? offer.role : newInvitationDraft(choices).role,
    channelIds: offer.channelIds.filter(isAmong(choices.channels)),
    groupIds: offer.groupIds.filter(isAmong(choices.groups)),
    includesDefaults: offer.includesDefaults && choices.default_channels.length > 0,
  }
}

/**
 * Returns the lifetime in minutes; null if the invitation never expires, undefined if the number of days is invalid.
 */
export function lifetimeMinutes({ lifetime, days }: InvitationDraft): number | null | undefined {
  if (lifetime === 'never') return null
  if (lifetime !== 'custom') return Number(lifetime)
  const count = Number(days)
  return days.trim() !== '' && count > 0 && count <= 3650 ? Math.round(count * DAY) : undefined
}

/** Returns the API parameters of an invitation. */
export const toInvitationParams = (offer: InvitationDraft) => ({
  invite_as: offer.role,
  invite_expires_in_minutes: lifetimeMinutes(offer) ?? null,
  stream_ids: [...offer.channelIds],
  group_ids: [...offer.groupIds],
  include_realm_default_subscriptions: offer.includesDefaults,
  notify_referrer_on_join: offer.notifies,
})
