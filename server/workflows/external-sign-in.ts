import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import { ifItWasNotYou } from '#accounts/account-emails.ts'
import { changeAvatar, setRole } from '#accounts/change-users.ts'
import { emitGroupEvents, findActiveAccounts } from '#groups/members.ts'
import { deleteGroupMembers, lockRealmGroups, saveGroupMembers } from '#groups/queries.ts'
import { deleteOtherIdentities, findOwnerOfIdentity, saveExternalIdentity } from '#identity/external-identities.ts'
import type { ExternalIdentity } from '#identity/pending-sign-ins.ts'
import { findSignInMethods, type IdentitySource, type Mappings } from '#identity/providers.ts'
import type { Invitation } from '#invitations/invitation.ts'
import { findUsableInvitation } from '#invitations/invitation-status.ts'
import { readSealedContent, seal, verifySeal } from '#lib/secrets.ts'
import { t } from '#lib/text.ts'
import { queueMail } from '#mail/outbox.ts'
import { type EmailTemplates, renderLayout } from '#mail/render-email.ts'
import { recordAudit } from '#people/audit.ts'
import { isEmailAddress } from '#people/email-addresses.ts'
import { countActiveOwners, findUser, findUserByDeliveryEmail, lockActiveUser } from '#people/user-queries.ts'
import { isBot, type User } from '#people/users.ts'
import { findRealm } from '#realms/queries.ts'
import { type Realm, realmAddress } from '#realms/realm.ts'
import { Role } from '#rules/role.ts'
import { MAX_LENGTH } from '#rules/shared-limits.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { acceptInvitation } from './accept-invitation.ts'
import { signUp } from './sign-up.ts'

// An identity of another service has arrived: find, link or create the account. All methods that get identities from
// elsewhere use these functions, whatever their protocol is. An identity belongs to an account by its provider, the issuer
// and its id there. An address alone gives no access to an existing account: its owner has to confirm the connection.

/** The result of looking for the account of an identity that has been proved. */
export type Arrival =
  /** The identity belongs to this account. */
  | { kind: 'known'; user: User }
  /** The provider did not say that the address belongs to the person. */
  | { kind: 'unverified' }
  /** The address belongs to this account, whose owner must confirm the connection. */
  | { kind: 'same address'; user: User }
  /** The identity was connected to this account, perhaps under another issuer, so that its owner must confirm it. */
  | { kind: 'to confirm'; user: User }
  /** Nobody has the address; the person may join with this invitation, or without one if it is null. */
  | { kind: 'new'; email: string; invitation: Invitation | null }
  /** Nobody has the address, and the organization requires an invitation. */
  | { kind: 'not invited'; email: string }

/** Returns what the identity leads to. `given` is the invitation with which the person began. */
export async function findArrival(
  db: Db,
  realm: Realm,
  identity: ExternalIdentity,
  given: Invitation | null,
  now: number,
): Promise<Arrival> {
  const found = await findOwnerOfIdentity(db, realm.id, identity)
  const user = found === null ? null : await findUser(db, found.userId)
  if (user !== null && found?.isCertain) return { kind: 'known', user }
  const { email } = identity
  const owner = email === null ? null : await findUserByDeliveryEmail(db, realm.id, email)
  if (owner !== null) return { kind: 'same address', user: owner }
  if (user !== null) return { kind: 'to confirm', user }
  if (email === null || !isEmailAddress(email)) return { kind: 'unverified' }
  const invitation = given ?? (await findUsableInvitation(db, realm, email, now))
  if (invitation === null && realm.settings.invite_required) return { kind: 'not invited', email }
  return { kind: 'new', email, invitation }
}

/**
 * Creates the account of a new person under the rules of the organization, and connects it to the identity. Refuses as
 * other ways to join do, and throws nothing else if somebody else was faster.
 */
export async function createFromIdentity(
  tx: Transaction,
  realm: Realm,
  method: Mappings,
  identity: ExternalIdentity,
  { email, invitation, picture }: { email: string; invitation: Invitation | null; picture: string | null },
): Promise<User> {
  const account = { fullName: toFullName(identity, email), timezone: '' }
  const user =
    invitation === null
      ? await signUp(tx, { realmId: realm.id, email, expiresAt: tx.now }, account)
      : await acceptInvitation(tx, realm.id, invitation.id, { ...account, email })
  await saveExternalIdentity(tx, user, identity)
  const withPicture = picture === null ? user : await changeAvatar(tx, realm, user, picture)
  return applyGroups(tx, realm, method, withPicture, identity)
}

/**
 * Connects the identity with an existing account, and emails its user. An entry of a directory replaces the one to which
 * the account was connected before, because an entry that is imported again has another id. Returns false and changes
 * nothing if the account is deactivated or a bot, or the identity belongs to another one.
 */
export async function connectIdentity(
  tx: Transaction,
  realm: Realm,
  source: IdentitySource,
  identity: ExternalIdentity,
  user: User,
): Promise<boolean> {
  if (isBot(user) || !(await lockActiveUser(tx, user.id))) return false
  if (!(await saveExternalIdentity(tx, user, identity))) return false
  if (source.preset === 'ldap' && (await deleteOtherIdentities(tx, user.id, identity)))
    await recordAudit(tx, realm.id, 'sign_in_disconnected', { targetId: user.id, by: source.displayName })
  await recordAudit(tx, realm.id, 'sign_in_connected', { targetId: user.id, by: source.displayName })
  const data = { userId: user.id, provider: source.displayName }
  await queueMail(tx, { realmId: realm.id, recipient: user.deliveryEmail, letter: CONNECTED_TEMPLATE, data })
  await applyGroups(tx, realm, source, user, identity)
  return true
}

/** Returns the name that the provider sent, without characters that names cannot have; or the local part of the address. */
export function toFullName({ name }: Pick<ExternalIdentity, 'name'>, email: string): string {
  const cleaned = [
    ...name
      .replace(/[\p{C}*`\\>"@|]/gu, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  ]
    .slice(0, MAX_LENGTH.fullName)
    .join('')
  return cleaned.length >= 2 ? cleaned : email.slice(0, email.lastIndexOf('@'))
}

const ROLES = {
  guest: Role.guest,
  member: Role.member,
  moderator: Role.moderator,
  administrator: Role.administrator,
  owner: Role.owner,
} as const

/**
 * Gives the user the role and exactly those of the mapped user groups that the provider's groups name. Without a
 * mapping, nothing changes. The last owner keeps their role, and only a mapping of the operator names owners. Entries of
 * the audit log name the method.
 */
export async function applyGroups(
  tx: Transaction,
  realm: Pick<Realm, 'id'>,
  method: Mappings,
  given: User,
  identity: Pick<ExternalIdentity, 'groups'>,
): Promise<User> {
  const { log } = tx.origin
  const client = { remoteAddress: null, client: method.displayName, userAgent: '' }
  const origin = { by: 'directory', actorId: null, ...client, log } as const
  return (await applyMappings({ ...tx, origin }, realm, method, given, identity)).user
}

/** Does what `applyGroups` does, and says whether something changed. */
export async function applyMappings(
  tx: Transaction,
  { id: realmId }: Pick<Realm, 'id'>,
  method: Mappings,
  given: User,
  { groups }: Pick<ExternalIdentity, 'groups'>,
): Promise<{ user: User; isChanged: boolean }> {
  const realm = await findRealm(tx.db, realmId)
  // The role may have changed since the account was read, before it was locked.
  const user = (await findUser(tx.db, given.id)) ?? given
  if (groups === null || realm === null) return { user, isChanged: false }
  const isChanged = await applyMemberships(tx, realm.id, method, user, groups)
  const unchanged = { user, isChanged }
  const role = mappedRole(method, groups)
  if (role === null || role === user.role) return unchanged
  if (role === Role.owner && method.isOwners) return unchanged
  if (user.role === Role.owner && (method.isOwners || (await countActiveOwners(tx, realm.id)) === 1)) return unchanged
  await setRole(tx, realm, user, role)
  return { user: { ...user, role }, isChanged: true }
}

/** Returns the highest role that the mapping gives; null if it gives none. */
function mappedRole({ roles = {} }: Mappings, groups: readonly string[]): Role | null {
  const given = groups.flatMap((group) => (Object.hasOwn(roles, group) ? [ROLES[roles[group]!]] : []))
  return given.length === 0 ? null : (Math.min(...given) as Role)
}

/** Returns whether a membership changed. */
async function applyMemberships(
  tx: Transaction,
  realmId: number,
  { groups: mapping = {} }: Mappings,
  user: User,
  groups: readonly string[],
): Promise<boolean> {
  const names = new Set(Object.values(mapping))
  if (names.size === 0) return false
  let isChanged = false
  const wanted = new Set(groups.flatMap((group) => (Object.hasOwn(mapping, group) ? [mapping[group]!] : [])))
  const known = await lockRealmGroups(tx, realmId)
  const active = await findActiveAccounts(tx.db, realmId)
  if (!active.has(user.id)) return false
  for (const group of known.byId.values()) {
    if (group.systemName !== null || group.deactivatedAt !== null || !names.has(group.name)) continue
    const isMember = group.memberIds.has(user.id)
    if (isMember === wanted.has(group.name)) continue
    isChanged = true
    await (isMember ? deleteGroupMembers : saveGroupMembers)(tx, group.id, [user.id])
    const op = isMember ? 'remove_members' : 'add_members'
    await emitGroupEvents(tx, realmId, [{ op, group_id: group.id, user_ids: [user.id] }])
    await recordAudit(tx, realmId, 'group_members_changed', {
      targetId: group.id,
      ...{ added: isMember ? [] : [user.id], removed: isMember ? [user.id] : [] },
      ...{ added_subgroups: [], removed_subgroups: [] },
    })
  }
  return isChanged
}

export const CONNECT_TEMPLATE = 'connect-identity'

const connectData = z.object({ userId: z.int(), provider: z.string(), hash: z.string() })

const connectPurpose = (realmId: number) => ['connect identity', realmId]

/** Returns the hash of the waiting sign-in that a link in an email continues; null if the link is invalid. */
export function readConnectKey(secret: KeyObject, { id }: Pick<Realm, 'id'>, key: string): string | null {
  const parsed = z.tuple([z.string()]).safeParse(readSealedContent(key))
  return parsed.success && verifySeal(secret, connectPurpose(id), parsed.data, key) ? parsed.data[0] : null
}

/** The email that tells users that an account of another service was connected to theirs. */
const CONNECTED_TEMPLATE = 'identity-connected'

const connectedData = z.object({ userId: z.int(), provider: z.string() })

/** The emails about accounts of other services: to confirm that one may sign in, and that it can from now on. */
export function connectTemplates(secret: KeyObject): EmailTemplates {
  return {
    async [CONNECT_TEMPLATE](data, { db }) {
      const { userId, provider, hash } = connectData.parse(data)
      const user = await findUser(db, userId)
      const realm = user === null ? null : await findRealm(db, user.realmId)
      if (user?.deactivatedAt !== null || realm === null) return null
      const { hostName, url } = realmAddress(realm.subdomain, db.settings.EXTERNAL_URL)
      const subject = t('Confirm signing in to {realm} with {provider}', { realm: realm.name, provider })
      const key = seal(secret, connectPurpose(realm.id), [hash])
      const page = renderLayout({
        heading: subject,
        blocks: [
          t('Someone, probably you, signed in to {url} with {provider} and your email address.', { url, provider }),
          t('If it was you, open this link in the same browser to connect {provider} to your account:', { provider }),
          { button: t('Connect {provider}', { provider }), url: `${url}/accounts/connect_by_email/${key}/` },
          t('If it was not you, ignore this email. Nothing changes then.'),
        ],
        footer: t('You received this email because of your account at {url}.', { url }),
      })
      return { subject, ...page, list: { name: realm.name, host: hostName } }
    },
    async [CONNECTED_TEMPLATE](data, { db }) {
      const { userId, provider } = connectedData.parse(data)
      const user = await findUser(db, userId)
      const realm = user === null ? null : await findRealm(db, user.realmId)
      if (user?.deactivatedAt !== null || realm === null) return null
      const { hostName, url } = realmAddress(realm.subdomain, db.settings.EXTERNAL_URL)
      const { isPasswordEnabled: usesPasswords } = await findSignInMethods(db, realm)
      const subject = t('{provider} can now sign in to your account at {realm}', { realm: realm.name, provider })
      const page = renderLayout({
        heading: subject,
        blocks: [
          t('An account of {provider} was connected to your account at {url}.', { url, provider }),
          ...ifItWasNotYou(
            { usesPasswords, url },
            t('If it was not you, choose a new password now, and choose to delete all API keys, which disconnects it:'),
          ),
        ],
        footer: t('You received this email because of your account at {url}.', { url }),
      })
      return { subject, ...page, list: { name: realm.name, host: hostName } }
    },
  }
}
