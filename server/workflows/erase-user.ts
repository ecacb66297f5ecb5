import { z } from 'zod'
import { avatarFilesOf } from '#accounts/avatars.ts'
import { deactivateUser } from '#accounts/change-users.ts'
import { emitAddressChange, emitAvatarChange, emitTo, emitUserChange, findUserAudience } from '#accounts/user-events.ts'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors.ts'
import { type Job, openDueJob, type PeriodicTaskOptions } from '#lib/jobs.ts'
import type { Log } from '#lib/log.ts'
import {
  countMessagesOf,
  deleteFilesOf,
  deleteFlagsOf,
  deleteMessagesOf,
  type Renaming,
  renameInMessages,
  renameInUnsentTexts,
} from '#messages/erase-messages.ts'
import { deleteStoredFile } from '#messages/files.ts'
import { heldByLaw, requireNotHeld } from '#messages/legal-holds.ts'
import { silentMention } from '#messages/notice-markdown.ts'
import { prepareNotice } from '#messages/prepare-message.ts'
import { sendMessage } from '#messages/send-message.ts'
import { mustBeOwner, noSuchUser, requireOwner, requireUser } from '#people/access.ts'
import { recordAudit } from '#people/audit.ts'
import { findActiveBotsOf } from '#people/bots.ts'
import {
  type Erasure,
  type ErasureChoices,
  type ErasureStep,
  erasureSteps,
  findErasure,
  findNextErasure,
  pseudonymOf,
  pseudonymousEmail,
  requireNotErased,
  saveErasure,
  saveErasureProgress,
  saveNextErasureStep,
  userErased,
} from '#people/erasures.ts'
import { findProfiles } from '#people/profile-fields.ts'
import { findStatuses, statusChanged } from '#people/statuses.ts'
import {
  countActiveOwners,
  findAvatarsInUse,
  findRealmUsers,
  findUser,
  saveUserEmail,
  saveUserFields,
} from '#people/user-queries.ts'
import { readUserSettings } from '#people/user-settings.ts'
import { apiEmail, isBot, type User } from '#people/users.ts'
import { findOwnDataExports, saveDataExportFields } from '#realms/export-records.ts'
import { lockRealm } from '#realms/queries.ts'
import type { Realm } from '#realms/realm.ts'
import { isActiveOwner } from '#rules/role.ts'
import { deleteEventsUpTo, findLastEventId } from '#storage/event-log.ts'
import { DATA_EXPORTS, type FileStore } from '#storage/files.ts'
import type { Db, RunTransaction, Transaction } from '#storage/storage.ts'
import { deletePersonalRows } from './erasing/personal-rows.ts'

// Erases a user. The request turns the account into a pseudonym in one transaction, and a job then works through the
// rest: messages and files, if the owner chose that, mentions of the name, archives, and the event log. Each batch
// saves its progress, so that the job continues after a crash. An erasure cannot be undone.

const onlyOwner = refusal('BAD_REQUEST', 400, 'The only owner of an organization cannot be erased.')
const ownAccount = refusal('BAD_REQUEST', 400, 'Ask another owner to erase your account.')

/** Refuses bots, erased users and the last owner. */
async function requireErasable(tx: Transaction, user: User): Promise<void> {
  if (isBot(user)) throw noSuchUser()
  await requireNotErased(tx.db, user.id)
  await requireNotHeld(tx.db, user)
  const isOwner = isActiveOwner({ role: user.role, isBot: false, isActive: user.deactivatedAt === null })
  if (isOwner && (await countActiveOwners(tx, user.realmId)) <= 1) throw onlyOwner()
}

type Request = { realm: Realm; user: User; actorId: number | null; choices: ErasureChoices }

/** Deactivates the account, turns it into a pseudonym, deletes its personal data, and starts the job for the rest. */
export async function eraseUser(tx: Transaction, { realm, user, actorId, choices }: Request): Promise<void> {
  await requireErasable(tx, user)
  if (user.deactivatedAt === null) await deactivateUser(tx, realm, user)
  const former = { fullName: user.fullName, avatarFile: user.avatarFile }
  await saveErasure(tx, { ...choices, realmId: realm.id, userId: user.id, actorId, former })
  await emitClearedProfile(tx, realm, user)
  await deletePersonalRows(tx, user)
  await savePseudonym(tx, realm, user)
  await recordAudit(tx, realm.id, 'account_erased', {
    targetId: user.id,
    channel_messages: choices.deletesChannelMessages,
    direct_messages: choices.deletesDirectMessages,
    files: choices.deletesFiles,
  })
}

/** Emits that the user has no profile fields and no status anymore. */
async function emitClearedProfile(tx: Transaction, realm: Realm, user: User): Promise<void> {
  const profile = (await findProfiles(tx.db, realm.id, user.id)).get(user.id) ?? {}
  for (const id of Object.keys(profile))
    await emitUserChange(tx, realm, user, { custom_profile_field: { id: Number(id), value: null } })
  if (!(await findStatuses(tx.db, [user.id])).has(user.id)) return
  const { viewers } = await findUserAudience(tx, realm, user)
  emitTo(
    tx,
    realm,
    statusChanged(user.id, { text: '', emoji: null }),
    viewers.map(({ id }) => id),
  )
}

async function savePseudonym(tx: Transaction, realm: Realm, user: User): Promise<void> {
  const [fullName, deliveryEmail] = [pseudonymOf(user), pseudonymousEmail(user)]
  const fields = { fullName, avatarFile: null, avatarVersion: user.avatarVersion + 1, timezone: '', passwordHash: null }
  await saveUserFields(tx, user.id, fields)
  await saveUserEmail(tx, user.id, deliveryEmail)
  await tx.updateTable('users').set({ settings: '{}' }).where('id', '=', user.id).returning('id').execute()
  const { passwordHash: _, ...shown } = fields
  const deactivatedAt = user.deactivatedAt ?? tx.now
  const after: User = { ...user, ...shown, deliveryEmail, deactivatedAt, settings: readUserSettings('{}') }
  await emitUserChange(tx, realm, after, { full_name: fullName })
  await emitAddressChange(tx, realm, { ...user, deactivatedAt }, after)
  await emitAvatarChange(tx, realm, after)
  const email = apiEmail(after, realm, tx.db.settings.EXTERNAL_URL)
  if (user.timezone !== '') await emitUserChange(tx, realm, after, { email, timezone: '' })
}

/**
 * Seconds until the event log is cleared. Clients that are connected have received everything by then; the others load
 * everything anew.
 */
const EVENTS_DELAY = 600

type Parts = { db: Db; transaction: RunTransaction; files: FileStore }

/** Does one batch of a step. */
type DoBatch = (tx: Transaction, erasure: Erasure) => Promise<unknown>

/** The name of an archive of the user's own data in the file store. */
const archiveOf = (realmId: number, file: string) => `${DATA_EXPORTS}/${realmId}/${file}.tar.gz`

const batchOf: Readonly<Record<Exclude<ErasureStep, 'files' | 'archives'>, DoBatch>> = {
  async messages(tx, erasure) {
    const { userId, realmId, deletesChannelMessages: isInChannels, deletesDirectMessages: isDirect } = erasure
    if (await deleteMessagesOf(tx, realmId, { userId, isInChannels, isDirect }))
      await saveErasureProgress(tx, erasure, 0)
    else await saveNextErasureStep(tx, erasure)
  },
  async flags(tx, erasure) {
    if (await deleteFlagsOf(tx, erasure.userId)) await saveErasureProgress(tx, erasure, 0)
    else await saveNextErasureStep(tx, erasure)
  },
  async mentions(tx, erasure) {
    const renaming = await findRenaming(tx.db, erasure)
    const lastId = await renameInMessages(tx, erasure.realmId, renaming, erasure.lastId)
    if (lastId === null) await saveNextErasureStep(tx, erasure)
    else await saveErasureProgress(tx, erasure, lastId)
  },
  async texts(tx, erasure) {
    await renameInUnsentTexts(tx, erasure.realmId, await findRenaming(tx.db, erasure))
    await saveNextErasureStep(tx, erasure)
  },
  async events(tx, erasure) {
    if (await deleteEventsUpTo(tx, erasure.realmId, erasure.lastId)) return
    await saveNextErasureStep(tx, erasure)
    await notifyFinished(tx, erasure)
  },
}

async function findRenaming(db: Db, { realmId, userId, former }: Erasure): Promise<Renaming> {
  const from = former?.fullName ?? ''
  const isNamesake = ({ id, fullName }: User) => id !== userId && fullName.toLowerCase() === from.toLowerCase()
  const isUnique = !(await findRealmUsers(db, realmId)).some(isNamesake)
  return { userId, from, to: pseudonymOf({ id: userId }), isUnique }
}

/** Does the next batch of an erasure. The bytes of files are deleted after their rows. */
async function eraseFurther({ transaction, files }: Parts, { userId }: Erasure): Promise<void> {
  const unneeded: (() => Promise<void>)[] = []
  await transaction(async (tx) => {
    const erasure = await findErasure(tx.db, userId)
    if (erasure === null || erasure.finishedAt !== null) return
    const { step } = erasure
    if (step === 'files') {
      const { realmId, deletesFiles } = erasure
      const deleted = deletesFiles ? await deleteFilesOf(tx, realmId, userId) : { count: 0, unneeded: [] }
      unneeded.push(...deleted.unneeded.map((attachment) => () => deleteStoredFile(files, attachment)))
      if (deleted.count === 0) await saveNextErasureStep(tx, erasure)
      else await saveErasureProgress(tx, erasure, 0)
    } else if (step === 'archives') {
      for (const name of await deleteArchives(tx, erasure)) unneeded.push(() => files.delete(name))
      const lastId = await findLastEventId(tx.db, erasure.realmId)
      await saveNextErasureStep(tx, erasure, { delay: EVENTS_DELAY, lastId })
    } else await batchOf[step](tx, erasure)
  })
  for (const deleteFile of unneeded) await deleteFile()
}

/** Deletes the archives of the user's own data. Returns the names of these files, and of the files of the picture. */
async function deleteArchives(tx: Transaction, { realmId, userId, former }: Erasure): Promise<string[]> {
  await lockRealm(tx, realmId)
  const archives = await findOwnDataExports(tx.db, userId)
  for (const { id, finishedAt, failedAt, deletedAt } of archives)
    if (finishedAt === null && failedAt === null) await saveDataExportFields(tx, id, { failedAt: tx.now })
    else if (deletedAt === null) await saveDataExportFields(tx, id, { deletedAt: tx.now })
  const picture = former?.avatarFile ?? null
  const isUnused = picture !== null && !(await findAvatarsInUse(tx.db, [picture])).has(picture)
  return [...archives.map(({ file }) => archiveOf(realmId, file)), ...(isUnused ? avatarFilesOf(picture) : [])]
}

async function notifyFinished(tx: Transaction, { userId, actorId }: Erasure): Promise<void> {
  const actor = actorId === null ? null : await findUser(tx.db, actorId)
  if (actor === null || actor.deactivatedAt !== null) return
  const erased = silentMention({ id: userId, fullName: pseudonymOf({ id: userId }) })
  const content = `The data of ${erased} has been erased.`
  await sendMessage(tx, await prepareNotice(tx.db, { recipientIds: [actor.id], content }))
}

type ErasureJobOptions = Parts & Pick<PeriodicTaskOptions, 'clock' | 'isResponsible'> & { log: Log }

/** Opens the job that carries out erasures, one batch after another. */
export const openErasureJob = (options: ErasureJobOptions): Job =>
  openDueJob({
    ...options,
    findNext: () => findNextErasure(options.db),
    handle: (erasure) => eraseFurther(options, erasure),
    failureMessage: 'Failed to erase a user; the erasure continues later',
  })

async function requireErasableBy(tx: Transaction, actor: { id: number }, user: User): Promise<void> {
  await requireErasable(tx, user)
  if (user.id === actor.id) throw ownAccount()
}

const refuses = [mustBeOwner, noSuchUser]

const getErasure = endpoint({
  route: 'GET /users/{user_id}/erasure',
  summary: 'Get what an erasure of a user would delete, or its progress',
  description: 'Requires an owner.',
  who: 'human',
  returns: {
    channel_messages: z.int().describe('The number of messages that the user sent to channels.'),
    direct_messages: z.int().describe('The number of direct messages that the user sent.'),
    files: z.int(),
    bots: z.int().describe('The number of active bots of the user, which would be deactivated.'),
    erasure: z
      .strictObject({
        started_at: z.number(),
        finished_at: z.number().nullable(),
        step: z.enum(erasureSteps).describe('The current step of the job.'),
      })
      .nullable()
      .describe('Null if the user is not being erased.'),
  },
  refuses,
  async handle({ db, actor }, { user_id }) {
    requireOwner(actor)
    const user = await requireUser(db, actor, user_id)
    if (isBot(user)) throw noSuchUser()
    const { inChannels, direct, files } = await countMessagesOf(db, user.id)
    const erasure = await findErasure(db, user.id)
    return {
      channel_messages: inChannels,
      direct_messages: direct,
      files,
      bots: (await findActiveBotsOf(db, user.id)).length,
      erasure:
        erasure === null
          ? null
          : { started_at: erasure.startedAt, finished_at: erasure.finishedAt, step: erasure.step },
    }
  },
})

const startErasure = endpoint({
  route: 'POST /users/{user_id}/erasure',
  summary: 'Erase a user',
  description:
    'Deactivates the account, renames it to a pseudonym, and deletes its address, profile, settings, keys, sessions, ' +
    'drafts and everything else that only belongs to the user. Their messages and files stay under the pseudonym ' +
    'unless you delete them, too. This cannot be undone. Requires an owner.',
  who: 'human',
  params: {
    delete_channel_messages: z.boolean().default(false),
    delete_direct_messages: z.boolean().default(false).describe('The direct messages that the user sent.'),
    delete_files: z.boolean().default(false),
  },
  refuses: [...refuses, userErased, heldByLaw, onlyOwner, ownAccount],
  async handle({ actor, transaction }, { user_id, delete_channel_messages, delete_direct_messages, delete_files }) {
    requireOwner(actor)
    await transaction(async (tx) => {
      const realm = await lockRealm(tx, actor.realmId)
      const user = await requireUser(tx.db, actor, user_id)
      await requireErasableBy(tx, actor, user)
      const choices = {
        deletesChannelMessages: delete_channel_messages,
        deletesDirectMessages: delete_direct_messages,
        deletesFiles: delete_files,
      }
      await eraseUser(tx, { realm, user, actorId: actor.id, choices })
    })
    return {}
  },
})

export const erasureEndpoints = [getErasure, startErasure]
