import { z } from 'zod'
import { BROWSER } from '#http/caller.ts'
import type { Origin, Transaction } from '#storage/storage.ts'
import { browserName } from './sessions.ts'

// The audit log: an entry for each administrative or security-relevant change, written in the transaction of the
// change. Who asked for the change, from where and by which client travels with the transaction. After the commit, the
// same call writes a line of the security log.
//
// The catalogue lists each kind of entry with its category, what it is about, and the details that it may contain. An entry
// never contains a password, a key, a token or the text of a message: a detail that is not declared here is not stored.

export const auditCategories = [
  'sign_in',
  'accounts',
  'bots',
  'invitations',
  'organization',
  'channels',
  'groups',
  'data',
] as const

type AuditCategory = (typeof auditCategories)[number]

/** The kind of object whose id is the target of an entry; null if the entry is about the organization. */
export type AuditTarget = 'user' | 'channel' | 'group' | null

/** The details of an entry that the security log contains as well. */
type LoggedDetails = { by?: string; role?: number; owner_id?: number; settings?: readonly string[] }

type Declaration<Target extends AuditTarget, Shape extends z.ZodRawShape> = {
  readonly category: AuditCategory
  readonly target: Target
  readonly meaning: string
  readonly details: z.ZodObject<Shape, z.core.$strict>
  readonly toLoggedDetails: (details: never) => LoggedDetails
}

const kind = <Target extends AuditTarget, Shape extends z.ZodRawShape>(
  category: AuditCategory,
  target: Target,
  meaning: string,
  shape: Shape,
  toLoggedDetails: (details: z.output<z.ZodObject<Shape, z.core.$strict>>) => LoggedDetails = () => ({}),
): Declaration<Target, Shape> => ({ category, target, meaning, details: z.strictObject(shape), toLoggedDetails })

/** The old and the new value; null where there is none. */
const changeOf = <Type extends z.ZodType>(type: Type) => ({ from: type.nullable(), to: type.nullable() })

const ids = z.array(z.int())

/** All kinds of entries with their meanings. docs/operating.md lists them as events of the security log. */
export const auditKinds = {
  login: kind(
    'sign_in',
    'user',
    'The user logged in, or got an API key by a sign-in (`by` says how)',
    { by: z.string() },
    ({ by }) => ({ by }),
  ),
  logout: kind('sign_in', 'user', 'The user logged out of a browser', {}),
  sign_in_connected: kind(
    'sign_in',
    'user',
    'The account was connected to an account of another service, which signs in to it from now on (`by` names the service)',
    { by: z.string() },
    ({ by }) => ({ by }),
  ),
  sign_in_disconnected: kind(
    'sign_in',
    'user',
    'The account was disconnected from an account of another service, which `by` names, or from all of them',
    { by: z.string() },
    ({ by }) => ({ by }),
  ),
  second_factor_changed: kind(
    'sign_in',
    'user',
    'A second factor was added or removed, or recovery codes were replaced (`by` says which)',
    { by: z.string() },
    ({ by }) => ({ by }),
  ),
  second_factor_reset: kind(
    'sign_in',
    'user',
    'All second factors of the user were removed by another user or the operator',
    {},
  ),
  password_changed: kind(
    'sign_in',
    'user',
    'The password was changed (`by` says how)',
    { by: z.string() },
    ({ by }) => ({ by }),
  ),
  sessions_closed: kind('sign_in', 'user', 'Browsers were logged out by their user', {}),
  logged_out_by_other: kind('sign_in', 'user', 'An administrator logged a user out of all browsers and apps', {}),
  api_key_created: kind('sign_in', 'user', 'An API key was created', {}),
  api_key_deleted: kind('sign_in', 'user', 'An API key was deleted', {}),
  api_keys_replaced: kind('sign_in', 'user', 'All API keys were replaced by a new one', {}),
  email_change_requested: kind(
    'accounts',
    'user',
    'A new email address was requested and is waiting for confirmation',
    changeOf(z.string()),
  ),
  email_changed: kind('accounts', 'user', 'The email address changed', changeOf(z.string())),
  email_change_undone: kind('accounts', 'user', 'The holder of the old address canceled or undid a change', {}),
  account_created: kind('accounts', 'user', 'The account was created, or someone joined', { role: z.int() }),
  account_deactivated: kind('accounts', 'user', 'The account was deactivated', {}),
  account_erased: kind(
    'accounts',
    'user',
    'The account was turned into a pseudonym, and the data of its user is being erased',
    { channel_messages: z.boolean(), direct_messages: z.boolean(), files: z.boolean() },
  ),
  account_reactivated: kind('accounts', 'user', 'The account was reactivated', {}),
  role_changed: kind(
    'accounts',
    'user',
    'The role changed to `role`; bots of the account never keep a higher one',
    { from: z.int(), to: z.int() },
    ({ to }) => ({ role: to }),
  ),
  name_changed: kind('accounts', 'user', 'Someone else changed the name of the account', changeOf(z.string())),
  profile_changed: kind('accounts', 'user', 'Someone else changed the profile fields of the account', { fields: ids }),
  bot_created: kind('bots', 'user', 'A bot was created', { type: z.int(), role: z.int() }),
  bot_owner_changed: kind('bots', 'user', 'The bot now belongs to `owner_id`', changeOf(z.int()), ({ to }) =>
    to === null ? {} : { owner_id: to },
  ),
  bot_address_changed: kind('bots', 'user', 'The address to which the bot sends messages changed', {}),
  webhook_secret_changed: kind('bots', 'user', 'The secret of an incoming webhook was set or removed', {}),
  invitations_sent: kind('invitations', null, 'Invitations were sent', { emails: z.array(z.string()), role: z.int() }),
  invitation_resent: kind('invitations', null, 'An invitation was sent again', { email: z.string() }),
  invitation_link_created: kind('invitations', null, 'A link that invites anyone was created', { role: z.int() }),
  invitation_extended: kind('invitations', null, 'The lifetime of an invitation or a link was changed', {
    email: z.string().nullable(),
    minutes: z.int().nullable(),
  }),
  invitation_revoked: kind('invitations', null, 'An invitation or an invitation link was revoked', {
    email: z.string().nullable(),
  }),
  organization_created: kind('organization', null, 'The organization was created', {}),
  organization_changed: kind(
    'organization',
    null,
    'A setting of the organization changed (`settings` names it)',
    { setting: z.string(), ...changeOf(z.json()) },
    ({ setting }) => ({ settings: [setting] }),
  ),
  default_setting_changed: kind(
    'organization',
    null,
    'A default setting of new users changed (`settings` names it)',
    { setting: z.string(), ...changeOf(z.json()) },
    ({ setting }) => ({ settings: [setting] }),
  ),
  organization_deactivated: kind('organization', null, 'The organization was deactivated', {}),
  organization_reactivated: kind('organization', null, 'The organization was reactivated', {}),
  scim_token_created: kind('organization', null, 'A token for SCIM was made, and replaced the one before', {}),
  scim_token_deleted: kind('organization', null, 'The token for SCIM was deleted', {}),
  channel_created: kind('channels', 'channel', 'A channel was created', { privacy: z.string() }),
  channel_changed: kind('channels', 'channel', 'A property or permission of a channel changed', {
    property: z.string(),
    ...changeOf(z.json()),
  }),
  channel_addresses_deleted: kind('channels', 'channel', 'Email addresses of the channel were deleted', {
    all: z.boolean(),
  }),
  channel_archived: kind('channels', 'channel', 'The channel was archived', {}),
  channel_unarchived: kind('channels', 'channel', 'The channel was unarchived', {}),
  group_created: kind('groups', 'group', 'A user group was created', {}),
  group_changed: kind('groups', 'group', 'A property or permission of a user group changed', {
    property: z.string(),
    ...changeOf(z.json()),
  }),
  group_members_changed: kind('groups', 'group', 'Members or subgroups of a user group were added or removed', {
    added: ids,
    removed: ids,
    added_subgroups: ids,
    removed_subgroups: ids,
  }),
  group_deactivated: kind('groups', 'group', 'The user group was deactivated', {}),
  group_reactivated: kind('groups', 'group', 'The user group was reactivated', {}),
  legal_hold_started: kind('data', null, 'A legal hold was started', {
    hold_id: z.int(),
    user_id: z.int().nullable(),
    channel_id: z.int().nullable(),
  }),
  legal_hold_ended: kind('data', null, 'A legal hold was ended', { hold_id: z.int() }),
  message_deleted: kind('data', 'user', 'Someone else deleted a message of the user', {
    channel_id: z.int().nullable(),
  }),
  topic_deleted: kind('data', 'channel', 'Messages of a topic were deleted', { messages: z.int() }),
  export_started: kind('data', null, 'An export of the organization was requested', { scope: z.string() }),
  export_downloaded: kind('data', null, 'An export of the organization was downloaded', { scope: z.string() }),
  mail_retried: kind('data', null, 'An email was sent again', {}),
  own_data_requested: kind('data', 'user', 'An archive of the data of one person was requested', {}),
  own_data_downloaded: kind('data', 'user', 'A user downloaded the archive of their own data', {}),
  export_deleted: kind('data', null, 'An export of the organization was deleted', { scope: z.string() }),
} as const

export type AuditKind = keyof typeof auditKinds

type DetailsOf<Kind extends AuditKind> =
  (typeof auditKinds)[Kind]['details'] extends z.ZodObject<infer Shape>
    ? { [Name in keyof Shape]: z.input<Shape[Name]> }
    : never

type TargetOf<Kind extends AuditKind> = (typeof auditKinds)[Kind]['target'] extends null
  ? { targetId?: never }
  : { targetId: number }

/** An entry of a kind: its target, its details and, unless it is the sender of the request, its actor. */
export type AuditEntry<Kind extends AuditKind> = { actorId?: number | null } & TargetOf<Kind> & DetailsOf<Kind>

export const auditKindNames = Object.keys(auditKinds) as AuditKind[]

/** The maximum length of a client's name in an entry. */
const MAX_CLIENT_LENGTH = 60

/** Adds an entry, in the transaction of the change. The actor is the sender of the request unless `actorId` is given. */
export async function recordAudit<Kind extends AuditKind>(
  tx: Transaction,
  realmId: number,
  kind: Kind,
  entry: AuditEntry<Kind>,
): Promise<void> {
  const { actorId = tx.origin.actorId, targetId = null, ...given } = entry
  const { details: type, toLoggedDetails } = auditKinds[kind]
  const details = type.parse(given)
  const { by, remoteAddress, log } = tx.origin
  await tx
    .insertInto('auditEntries')
    .values({
      ...{ realmId, at: tx.now, kind, origin: by, actorId, targetId },
      details: JSON.stringify(details),
      address: remoteAddress,
      client: clientOf(tx.origin),
    })
    .execute()
  if (log === null) return
  const line = { event: kind, actor_id: actorId, target_id: targetId, realm_id: realmId }
  const from = by === 'request' ? { address: remoteAddress } : { by, ...(remoteAddress && { address: remoteAddress }) }
  tx.afterCommit(() => log.security({ ...line, ...from, ...toLoggedDetails(details as never) }))
}

/** The kinds whose target is a user. */
const ABOUT_USERS = auditKindNames.filter((kind) => auditKinds[kind].target === 'user')

/** The kinds whose details contain a name or an address of their target. */
const PERSONAL: readonly AuditKind[] = ['name_changed', 'email_changed', 'email_change_requested']

/**
 * Deletes what the entries tell about a person beyond their id: names and addresses that they had, the networks and
 * programs that they used, and invitations to these lower-case addresses. The entries themselves stay.
 */
export async function eraseFromAudit(
  tx: Transaction,
  { id, realmId }: { id: number; realmId: number },
  addresses: readonly string[],
): Promise<void> {
  const nowhere = { address: null, client: '' }
  await tx.updateTable('auditEntries').set(nowhere).where('actorId', '=', id).execute()
  // Requests without an actor are those of the person themselves, such as a sign-in or the link of an email.
  await tx
    .updateTable('auditEntries')
    .set(nowhere)
    .where('actorId', 'is', null)
    .where('origin', '=', 'request')
    .where('targetId', '=', id)
    .where('kind', 'in', ABOUT_USERS)
    .execute()
  await tx
    .updateTable('auditEntries')
    .set({ details: JSON.stringify({ from: null, to: null }) })
    .where('targetId', '=', id)
    .where('kind', 'in', PERSONAL)
    .execute()
  const invitations = await tx.db
    .selectFrom('auditEntries')
    .select(['id', 'details'])
    .where('realmId', '=', realmId)
    .where('kind', 'like', 'invitation%')
    .execute()
  for (const { id: entryId, details } of invitations) {
    const given = JSON.parse(details) as { email?: string | null; emails?: string[] }
    const isErased = (email: string) => addresses.includes(email.toLowerCase())
    const erased = {
      ...given,
      ...(typeof given.email === 'string' && isErased(given.email) && { email: '' }),
      ...(given.emails?.some(isErased) && { emails: given.emails.map((email) => (isErased(email) ? '' : email)) }),
    }
    const changed = JSON.stringify(erased)
    if (changed !== details)
      await tx.updateTable('auditEntries').set({ details: changed }).where('id', '=', entryId).execute()
  }
}

/** Returns the name of the program that sent the request: of browsers, their own name. */
function clientOf({ client, userAgent }: Origin): string {
  const isDesktopApp = /\bZulipElectron\//i.test(userAgent)
  const name = client === BROWSER ? (isDesktopApp ? 'Desktop app' : browserName(userAgent)) : client
  return name.slice(0, MAX_CLIENT_LENGTH)
}
