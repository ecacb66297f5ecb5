import { refusal } from '#lib/errors.ts'
import type { Db, Transaction } from '#storage/storage.ts'

// The erasures of users. An erasure cannot be undone: the account stays under a pseudonym, so that the messages that
// others keep have a sender, and it is never reactivated. A job works through the steps; each batch saves its progress
// in its own transaction, so an interrupted erasure continues.

/** The steps of the job in their order. */
export const erasureSteps = ['messages', 'flags', 'mentions', 'texts', 'files', 'archives', 'events'] as const

export type ErasureStep = (typeof erasureSteps)[number]

/** The choices of the owner. */
export type ErasureChoices = { deletesChannelMessages: boolean; deletesDirectMessages: boolean; deletesFiles: boolean }

/** The parts of the former account that the job needs. They are deleted when the erasure has finished. */
type FormerAccount = { fullName: string; avatarFile: string | null }

export type Erasure = ErasureChoices & {
  id: number
  realmId: number
  userId: number
  actorId: number | null
  former: FormerAccount | null
  step: ErasureStep
  lastId: number
  startedAt: number
  dueAt: number
  finishedAt: number | null
}

export const userErased = refusal('BAD_REQUEST', 400, 'The data of this user was erased.')

/** The name of an erased account. */
export const pseudonymOf = ({ id }: { id: number }): string => `Deleted user ${id}`

/** The address of an erased account. It receives no mail, and cannot be used to register. */
export const pseudonymousEmail = ({ id }: { id: number }): string => `deleted-user-${id}@erased.invalid`

type Row = Awaited<ReturnType<typeof findRows>>[number]

const findRows = (db: Db, userId: number) =>
  db.selectFrom('erasures').selectAll().where('userId', '=', userId).execute()

const toErasure = (row: Row): Erasure => ({
  ...row,
  deletesChannelMessages: row.deletesChannelMessages === 1,
  deletesDirectMessages: row.deletesDirectMessages === 1,
  deletesFiles: row.deletesFiles === 1,
  former: row.former === null ? null : (JSON.parse(row.former) as FormerAccount),
  step: row.step as ErasureStep,
})

/** Returns the erasure of the user, even if it has finished; null if there is none. */
export async function findErasure(db: Db, userId: number): Promise<Erasure | null> {
  const [row] = await findRows(db, userId)
  return row === undefined ? null : toErasure(row)
}

/** Refuses if the user has been erased, or is being erased. */
export async function requireNotErased(db: Db, userId: number): Promise<void> {
  if ((await findErasure(db, userId)) !== null) throw userErased()
}

/** Returns the ids of the users of the organization who have been erased, or are being erased. */
export async function findErasedIds(db: Db, realmId: number): Promise<ReadonlySet<number>> {
  const rows = await db.selectFrom('erasures').select('userId').where('realmId', '=', realmId).execute()
  return new Set(rows.map(({ userId }) => userId))
}

/** Returns the unfinished erasure whose next batch is due first. */
export async function findNextErasure(db: Db): Promise<Erasure | null> {
  const row = await db
    .selectFrom('erasures')
    .selectAll()
    .where('finishedAt', 'is', null)
    .orderBy('dueAt')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? null : toErasure(row)
}

type NewErasure = ErasureChoices & Pick<Erasure, 'realmId' | 'userId' | 'actorId'> & { former: FormerAccount }

export async function saveErasure(tx: Transaction, given: NewErasure): Promise<void> {
  const { realmId, userId, actorId, former, ...choices } = given
  await tx
    .insertInto('erasures')
    .values({
      ...{ realmId, userId, actorId },
      deletesChannelMessages: choices.deletesChannelMessages ? 1 : 0,
      deletesDirectMessages: choices.deletesDirectMessages ? 1 : 0,
      deletesFiles: choices.deletesFiles ? 1 : 0,
      former: JSON.stringify(former),
      step: erasureSteps[0],
      lastId: 0,
      startedAt: tx.now,
      dueAt: tx.now,
      finishedAt: null,
    })
    .execute()
}

/** Saves that the current step has worked up to this id. */
export async function saveErasureProgress(tx: Transaction, { id }: Erasure, lastId: number): Promise<void> {
  await tx.updateTable('erasures').set({ lastId, dueAt: tx.now }).where('id', '=', id).execute()
}

/** Starts the next step, after a delay in seconds if one is given, or finishes the erasure. */
export async function saveNextErasureStep(
  tx: Transaction,
  { id, step }: Erasure,
  { delay = 0, lastId = 0 }: { delay?: number; lastId?: number } = {},
): Promise<void> {
  const next = erasureSteps[erasureSteps.indexOf(step) + 1]
  const changed =
    next === undefined ? { finishedAt: tx.now, former: null } : { step: next, lastId, dueAt: tx.now + delay }
  await tx.updateTable('erasures').set(changed).where('id', '=', id).execute()
}
