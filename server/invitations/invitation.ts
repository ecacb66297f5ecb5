import { createHmac, type KeyObject } from 'node:crypto'
import { z } from 'zod'
import { fromBase32, toBase32 } from '#lib/secrets.ts'
import { type Realm, realmAddress } from '#realms/realm.ts'
import type { Role } from '#rules/role.ts'

// An email invitation or an invitation link: its fields, lifetime, key and form for clients. The key in a link is
// derived from a seed and the secret of the server, so the database alone does not contain usable links.

/** The role, channels and groups that an invitation gives to the new account, and how long it is valid. */
export type InvitationOptions = {
  role: Role
  /** The ids as the client sent them. A `bigint` matches no channel. */
  channelIds: (number | bigint)[]
  groupIds: number[]
  includesDefaultChannels: boolean
  notifiesInviter: boolean
  /** Null means that the invitation never expires. */
  lifetimeMinutes: number | null
}

/** An email invitation to one address, or a link that several people can use. */
export type Invitation = InvitationOptions & {
  id: number
  realmId: number
  channelIds: number[]
  inviterId: number
  /** Null for links, because people who join by a link enter their own address. */
  email: string | null
  createdAt: number
  /** The time at which the invitation was last sent. */
  sentAt: number
  expiresAt: number | null
  keySeed: string
  /**
   * The SHA-256 hash of a key in the old format, which does not contain the invitation's id; null for keys in the
   * current format.
   */
  formerKeyHash: string | null
  /** The maximum number of accounts that can be created: 1 for an email invitation, null for a link without a limit. */
  maxUses: number | null
  uses: number
  /** The domains to which addresses must belong. An empty list allows all domains. */
  allowedDomains: string[]
  endedAt: number | null
  endedAs: InvitationEndReason | null
}

export type EmailInvitation = Invitation & { email: string }

export function isByEmail(invitation: Invitation): invitation is EmailInvitation {
  return invitation.email !== null
}

/**
 * The reason why an invitation ended, after which its link no longer works. An invitation that expires has none.
 * `superseded`: its address got an account through another invitation. `registered`: its address got an account without
 * any invitation.
 */
export type InvitationEndReason = (typeof invitationEndReasons)[number]

export const invitationEndReasons = ['accepted', 'revoked', 'superseded', 'registered', 'inviter-deactivated'] as const

/** The template of the email with the link of an invitation. */
export const INVITATION_TEMPLATE = 'invitation'

const MINUTE = 60

/** The minimum lifetime, in minutes, of invitations that get a reminder. */
const MIN_REMINDED_LIFETIME = 4 * 24 * 60

/** Minutes from the reminder to the expiry. */
const REMINDER_LEAD = 2 * 24 * 60

/** Returns the time at which an invitation that was sent at `sentAt` expires; null for never. */
export function expiryOf(sentAt: number, lifetimeMinutes: number | null): number | null {
  return lifetimeMinutes === null ? null : sentAt + lifetimeMinutes * MINUTE
}

/** Returns the time at which the reminder is due; null if the invitation gets none. */
export function reminderDueAt(sentAt: number, lifetimeMinutes: number | null): number | null {
  if (lifetimeMinutes === null || lifetimeMinutes < MIN_REMINDED_LIFETIME) return null
  return sentAt + (lifetimeMinutes - REMINDER_LEAD) * MINUTE
}

/** A key has 160 bits, which are 32 characters in base32. */
const PATTERN = /^[a-z2-7]{32}$/

/** A key has 20 bytes. This many of them contain the invitation's id. */
const NUMBER_BYTES = 5
const NUMBERS = 2 ** (8 * NUMBER_BYTES)

/** The number of characters that these bytes take. */
const NUMBER_LENGTH = (NUMBER_BYTES * 8) / 5

/** The fields from which a key is derived, together with the server's secret. */
type KeySource = Pick<Invitation, 'id' | 'keySeed' | 'formerKeyHash'>

/**
 * Returns the key in an invitation's link. The key is derived from the invitation's seed and the server's secret, so
 * that it can be shown again without being stored. It begins with the invitation's id, masked by a hash of the rest.
 * Without the secret, the whole key looks random.
 */
export function invitationKey(secret: KeyObject, { id, keySeed, formerKeyHash }: KeySource): string {
  if (formerKeyHash !== null) return toBase32(digest(secret, `invitation ${keySeed}`).subarray(0, 20))
  const seal = toBase32(digest(secret, `invitation ${id} ${keySeed}`).subarray(NUMBER_BYTES, 20))
  const number = Buffer.alloc(NUMBER_BYTES)
  number.writeUIntBE((id + maskOf(secret, seal)) % NUMBERS, 0, NUMBER_BYTES)
  return toBase32(number) + seal
}

/** Returns the id that the key contains, whether or not an invitation has this key; null if the text is not a key. */
export function idInKey(secret: KeyObject, key: string): number | null {
  if (!PATTERN.test(key)) return null
  const number = fromBase32(key.slice(0, NUMBER_LENGTH)).readUIntBE(0, NUMBER_BYTES)
  return (number - maskOf(secret, key.slice(NUMBER_LENGTH)) + NUMBERS) % NUMBERS
}

const maskOf = (secret: KeyObject, seal: string): number =>
  digest(secret, `invitation mask ${seal}`).readUIntBE(0, NUMBER_BYTES)

const digest = (secret: KeyObject, text: string): Buffer => createHmac('sha256', secret).update(text).digest()

/** Returns the URL that people open to join with the link. */
export function invitationLinkUrl(realm: Realm, link: KeySource, externalUrl: string, secret: KeyObject): string {
  return `${realmAddress(realm.subdomain, externalUrl).url}/join/${invitationKey(secret, link)}/`
}

const roleKeys: Readonly<Record<Role, string>> = {
  100: 'owner',
  200: 'administrator',
  300: 'moderator',
  400: 'member',
  600: 'guest',
}

/** Returns the name by which texts select a variant for the role: `{role, select, owner {an owner} …}`. */
export const roleKey = (role: Role): string => roleKeys[role]

/** Formats a time for readers whose time zone is unknown: `2030-01-15 10:00 UTC`. */
export function formatUtcTime(time: number): string {
  const [day, clock] = new Date(time * 1000).toISOString().split('T')
  return `${day} ${clock?.slice(0, 5)} UTC`
}

/** An email invitation has `email`; a link has `link_url` and the restrictions on its use. */
export const invitationJson = z.object({
  id: z.int(),
  email: z.string().optional(),
  invited_by_user_id: z.int(),
  invited: z.int(),
  expiry_date: z.int().nullable(),
  invited_as: z.int(),
  notify_referrer_on_join: z.boolean(),
  is_multiuse: z.boolean(),
  link_url: z.string().optional(),
  uses: z.int().optional().describe('The number of accounts created with the link.'),
  max_uses: z.int().nullable().optional().describe('The maximum number of accounts; null for no limit.'),
  allowed_domains: z
    .array(z.string())
    .optional()
    .describe('The allowed domains of addresses; empty for no restriction.'),
})

type InvitationJson = z.infer<typeof invitationJson>

export function toInvitationJson(invitation: EmailInvitation): InvitationJson {
  return { ...commonFields(invitation), email: invitation.email, is_multiuse: false }
}

/**
 * Returns the link as clients see it. `url` is null for users who may see the link in the list but may not use it.
 * Clients of the reference server do not know limits on links. The fields of a limit are therefore included only if it
 * is set or `isFull` is true.
 */
export function toLinkJson(link: Invitation, url: string | null, isFull: boolean): InvitationJson {
  const { uses, maxUses: max_uses, allowedDomains: allowed_domains } = link
  return {
    ...commonFields(link),
    is_multiuse: true,
    ...(url !== null && { link_url: url }),
    ...((isFull || max_uses !== null) && { uses, max_uses }),
    ...((isFull || allowed_domains.length > 0) && { allowed_domains }),
  }
}

/** Returns an invitation that has ended or expired, without `link_url`. */
export function toEndedInvitationJson(invitation: Invitation): Omit<InvitationJson, 'link_url'> {
  return isByEmail(invitation) ? toInvitationJson(invitation) : toLinkJson(invitation, null, true)
}

function commonFields(invitation: Invitation) {
  return {
    id: invitation.id,
    invited_by_user_id: invitation.inviterId,
    invited: Math.floor(invitation.sentAt),
    expiry_date: invitation.expiresAt === null ? null : Math.floor(invitation.expiresAt),
    invited_as: invitation.role,
    notify_referrer_on_join: invitation.notifiesInviter,
  }
}
