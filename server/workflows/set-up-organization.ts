import { z } from 'zod'
import { hashSecret } from '#lib/secrets.ts'
import { createOrganizationWithOwner, type InitialChannel } from '#organizations/create-organization.ts'
import { recordAudit } from '#people/audit.ts'
import { openSession, type Session } from '#people/sessions.ts'
import type { User } from '#people/users.ts'
import { hasOrganization } from '#realms/queries.ts'
import type { Realm } from '#realms/realm.ts'
import { type RealmSettings, realmSettingDeclarations } from '#realms/settings.ts'
import type { Db, Transaction } from '#storage/storage.ts'

// Setting up the first organization of a server, with a link that the operator gets in the terminal or by a command.
// The answers are kept as a draft until the last step creates everything in one transaction; a link works once.

/** The way in which people can join the organization: by email and links, or only by links. */
export type JoiningMethod = (typeof joiningMethods)[number]

export type SetupDraft = z.infer<typeof setupDraft>

/** A draft with the answers to all steps. */
export type CompleteSetupDraft = Required<SetupDraft>

export type CompletedSetup = { realm: Realm; owner: User; session: Session; token: string }

const joiningMethods = ['mail', 'links'] as const

export const isJoiningMethod = (text: string): text is JoiningMethod =>
  (joiningMethods as readonly string[]).includes(text)

/** The answers to the steps that have been completed so far. */
const setupDraft = z.object({
  organization: z
    .object({ name: z.string(), subdomain: z.string(), type: realmSettingDeclarations.org_type.type.default(0) })
    .optional(),
  owner: z
    .object({ fullName: z.string(), email: z.string(), timezone: z.string(), passwordHash: z.string() })
    .optional(),
  joining: z.enum(joiningMethods).optional(),
})

/** Seconds until a setup link expires. */
export const SETUP_VALIDITY = 86_400

/** The length of a token in bytes. */
const TOKEN_LENGTH = 32

/**
 * Issues a link for setting up the first organization. Earlier links stay valid, because one of them may be in use.
 * Returns null if an organization already exists.
 */
export async function issueSetupLink(tx: Transaction): Promise<string | null> {
  if (await hasOrganization(tx.db)) return null
  await tx.deleteFrom('setupLinks').where('expiresAt', '<=', tx.now).execute()
  const token = tx.random.bytes(TOKEN_LENGTH).toString('base64url')
  await tx
    .insertInto('setupLinks')
    .values({ hash: hashSecret(token), expiresAt: tx.now + SETUP_VALIDITY, draft: '{}' })
    .execute()
  return `${tx.db.settings.EXTERNAL_URL}/new/${token}/`
}

/** Returns the draft of the link with this token; null if the link is invalid or has expired. */
export async function findSetupDraft(db: Db, token: string, now: number): Promise<SetupDraft | null> {
  const row = await db
    .selectFrom('setupLinks')
    .select('draft')
    .where('hash', '=', hashSecret(token))
    .where('expiresAt', '>', now)
    .executeTakeFirst()
  return row === undefined ? null : setupDraft.parse(JSON.parse(row.draft))
}

export async function saveSetupDraft(tx: Transaction, token: string, draft: SetupDraft): Promise<void> {
  await tx
    .updateTable('setupLinks')
    .set({ draft: JSON.stringify(draft) })
    .where('hash', '=', hashSecret(token))
    .execute()
}

/**
 * Uses a link. It deletes all links, because only one organization can be set up. Returns false if the link was no
 * longer valid.
 */
async function consumeSetupLink(tx: Transaction, token: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('setupLinks')
    .where('hash', '=', hashSecret(token))
    .where('expiresAt', '>', tx.now)
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) return false
  await tx.deleteFrom('setupLinks').execute()
  return true
}

/** For each joining method, the settings that differ from their defaults. */
const SETTINGS: Readonly<Record<JoiningMethod, Partial<RealmSettings>>> = {
  mail: {},
  links: { can_invite_users_group: 'role:nobody' },
}

/**
 * Creates the organization of the draft and opens a session for its owner. Returns null if the link is no longer valid
 * or an organization already exists.
 */
export async function setUpOrganization(
  tx: Transaction,
  link: string,
  { organization, owner, joining }: CompleteSetupDraft,
  channels: readonly InitialChannel[],
  userAgent: string,
): Promise<CompletedSetup | null> {
  const isFirst = await consumeSetupLink(tx, link)
  if (!isFirst || (await hasOrganization(tx.db))) return null
  const { type, ...address } = organization
  const created = await createOrganizationWithOwner(tx, {
    ...address,
    owner,
    channels,
    settings: { ...SETTINGS[joining], org_type: type },
  })
  const { realm, owner: founder } = created
  await recordAudit(tx, realm.id, 'login', { actorId: founder.id, targetId: founder.id, by: 'setup' })
  return { ...created, ...(await openSession(tx, created.owner.id, { isKept: false, userAgent })) }
}
