import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import { hashSecret, seal } from '#lib/secrets.ts'
import { t } from '#lib/text.ts'
import { queueMail } from '#mail/outbox.ts'
import { type EmailTemplates, renderLayout } from '#mail/render-email.ts'
import {
  createOrganizationWithOwner,
  type InitialChannel,
  requireChosenSubdomain,
} from '#organizations/create-organization.ts'
import { recordAudit } from '#people/audit.ts'
import { openSession, type Session } from '#people/sessions.ts'
import type { User } from '#people/users.ts'
import { hasOrganization } from '#realms/queries.ts'
import type { Realm } from '#realms/realm.ts'
import { type RealmSettings, realmSettingDeclarations } from '#realms/realm-settings.ts'
import type { Db, Transaction } from '#storage/storage.ts'

// Setting up an organization with a link: the first one of a server with a link that the operator gets in the terminal
// or by a command, and others, if the operator allows it, with a link that visitors get by email. The answers are kept
// as a draft until the last step creates everything in one transaction; a link works once.

/** The way in which people can join the organization: by email and links, or only by links. */
export type JoiningMethod = (typeof joiningMethods)[number]

export type SetupDraft = z.infer<typeof setupDraft>

/** A draft with the answers to all steps. */
export type CompleteSetupDraft = SetupDraft & Required<Omit<SetupDraft, 'email'>>

export type CompletedSetup = { realm: Realm; owner: User; session: Session; token: string }

const joiningMethods = ['mail', 'links'] as const

export const isJoiningMethod = (text: string): text is JoiningMethod =>
  (joiningMethods as readonly string[]).includes(text)

/** The answers to the steps that have been completed so far. */
const setupDraft = z.object({
  /** The address to which a visitor got the link, and which it proves; undefined for links of the operator. */
  email: z.string().optional(),
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

const requestData = z.object({ email: z.string(), name: z.string(), expiresAt: z.number(), nonce: z.string() })

type CreationRequest = z.infer<typeof requestData>

const CREATION_TEMPLATE = 'new-organization'

const creationToken = (secret: KeyObject, { email, expiresAt, nonce }: CreationRequest) =>
  seal(secret, ['new organization'], [email, expiresAt, nonce])

/** Emails a visitor a link for setting up an organization with this name and subdomain. */
export async function requestOrganization(
  tx: Transaction,
  secret: KeyObject,
  { name, subdomain, email }: { name: string; subdomain: string; email: string },
): Promise<void> {
  const nonce = tx.random.bytes(16).toString('base64url')
  const request: CreationRequest = { email, name, expiresAt: tx.now + SETUP_VALIDITY, nonce }
  const draft: SetupDraft = { email, organization: { name, subdomain, type: 0 } }
  await tx.deleteFrom('setupLinks').where('expiresAt', '<=', tx.now).execute()
  await tx
    .insertInto('setupLinks')
    .values({
      hash: hashSecret(creationToken(secret, request)),
      expiresAt: request.expiresAt,
      draft: JSON.stringify(draft),
    })
    .execute()
  await queueMail(tx, { realmId: null, recipient: email, letter: CREATION_TEMPLATE, data: request })
}

/** The email with the link of `requestOrganization`. It is not sent if the link was used or has expired. */
export function setupTemplates(secret: KeyObject): EmailTemplates {
  return {
    async [CREATION_TEMPLATE](data, { db, now }) {
      const request = requestData.parse(data)
      const token = creationToken(secret, request)
      if ((await findSetupDraft(db, token, now)) === null) return null
      const url = db.settings.EXTERNAL_URL
      const subject = t('Create your organization {name}', { name: request.name })
      const page = renderLayout({
        heading: subject,
        blocks: [
          t('Someone, probably you, asked to create an organization at {url} with this address.', { url }),
          { button: t('Continue'), url: `${url}/new/${token}/owner/` },
          t('The link expires after a day. If you did not ask for it, ignore this email, and nothing is created.'),
        ],
        footer: t('You received this email because someone entered your address at {url}.', { url }),
      })
      return { subject, ...page }
    },
  }
}

/**
 * Returns the draft of the link with this token. Returns null if the link is invalid or has expired, if it is for the
 * first organization and there is one, or if visitors may no longer create organizations.
 */
export async function findSetupDraft(db: Db, token: string, now: number): Promise<SetupDraft | null> {
  const row = await db
    .selectFrom('setupLinks')
    .select('draft')
    .where('hash', '=', hashSecret(token))
    .where('expiresAt', '>', now)
    .executeTakeFirst()
  if (row === undefined) return null
  const draft = setupDraft.parse(JSON.parse(row.draft))
  return (await mayUse(db, draft)) ? draft : null
}

const mayUse = async (db: Db, { email }: SetupDraft): Promise<boolean> =>
  email === undefined ? !(await hasOrganization(db)) : db.settings.OPEN_REALM_CREATION

export async function saveSetupDraft(tx: Transaction, token: string, draft: SetupDraft): Promise<void> {
  await tx
    .updateTable('setupLinks')
    .set({ draft: JSON.stringify(draft) })
    .where('hash', '=', hashSecret(token))
    .execute()
}

/** Uses a link. Those for the first organization end together. Returns false if the link was no longer valid. */
async function consumeSetupLink(tx: Transaction, token: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('setupLinks')
    .where('hash', '=', hashSecret(token))
    .where('expiresAt', '>', tx.now)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

async function deleteLinksOfOperator(tx: Transaction): Promise<void> {
  const rows = await tx.db.selectFrom('setupLinks').select(['hash', 'draft']).execute()
  const own = rows.filter(({ draft }) => setupDraft.parse(JSON.parse(draft)).email === undefined)
  for (const { hash } of own) await tx.deleteFrom('setupLinks').where('hash', '=', hash).execute()
}

/** For each joining method, the settings that differ from their defaults. */
const SETTINGS: Readonly<Record<JoiningMethod, Partial<RealmSettings>>> = {
  mail: {},
  links: { can_invite_users_group: 'role:nobody' },
}

/**
 * Creates the organization of the draft and opens a session for its owner. Returns null if the link is no longer valid.
 * Refuses if the subdomain was taken meanwhile; the link stays valid then.
 */
export async function setUpOrganization(
  tx: Transaction,
  link: string,
  { email, organization, owner, joining }: CompleteSetupDraft,
  channels: readonly InitialChannel[],
  userAgent: string,
): Promise<CompletedSetup | null> {
  if (!(await consumeSetupLink(tx, link)) || !(await mayUse(tx.db, { email }))) return null
  if (email === undefined) await deleteLinksOfOperator(tx)
  else await requireChosenSubdomain(tx.db, organization.subdomain)
  const { type, ...address } = organization
  const created = await createOrganizationWithOwner(tx, {
    ...address,
    owner: { ...owner, email: email ?? owner.email },
    channels,
    settings: { ...SETTINGS[joining], org_type: type },
  })
  const { realm, owner: founder } = created
  await recordAudit(tx, realm.id, 'login', { actorId: founder.id, targetId: founder.id, by: 'setup' })
  return { ...created, ...(await openSession(tx, created.owner.id, { isKept: false, userAgent })) }
}
