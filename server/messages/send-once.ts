import { setImmediate as untilTurnEnds } from 'node:timers/promises'
import { sql } from 'kysely'
import { OperatorError, Refusal } from '#lib/errors.ts'
import { LOCAL_ID_LIFETIME } from '#rules/shared-limits.ts'
import { defineQuery, defineUnawaitedWrite, defineWrite, integerAt, rowsIn, textAt } from '#storage/sql.ts'
import {
  CommitOutcomeUnknown,
  DatabaseUnavailable,
  type Db,
  LockTimeout,
  OrganizationMoving,
  type RunTransaction,
  type Storage,
  type Transaction,
} from '#storage/storage.ts'
import type { PreparedMessage } from './prepare-message.ts'
import { requireSendable, type SendableMessage, type SentMessage, saveMessages } from './send-message.ts'

// Sending a message once although its request is repeated: the random id that a client or an email gives to a message is
// remembered for two weeks.

/** The maximum number of expired ids that one transaction deletes. */
const DELETED_AT_ONCE = 1000

/**
 * The form of random ids. Only they identify a message, because some clients number their messages and reuse the
 * numbers.
 */
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Returns true if the id is never used for another message of its sender. */
const isUniqueLocalId = (localId: string): boolean => UUID.test(localId)

const messageIdsOf = defineQuery((db, userId: number, localId: string) =>
  db.selectFrom('sentLocalIds').select('messageId').where('userId', '=', userId).where('localId', '=', localId),
)

/** Returns the message that the user sent with this id; null if there is none. */
export async function findSentMessage(db: Db, userId: number, localId: string): Promise<number | null> {
  return (await messageIdsOf(db, userId, localId))[0]?.messageId ?? null
}

const claimRows = defineWrite('sentLocalIds', (tx, list: string, sentAt: number) =>
  tx
    .insertInto('sentLocalIds')
    .columns(['userId', 'localId', 'messageId', 'sentAt'])
    .expression(
      rowsIn(tx.db, list)
        .select([
          integerAt(0).as('userId'),
          textAt(1).as('localId'),
          sql<number>`0`.as('messageId'),
          sql<number>`cast(${sentAt} as double precision)`.as('sentAt'),
        ])
        // Without a WHERE clause SQLite would parse ON CONFLICT as a join condition.
        .where(sql<boolean>`true`),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning(['userId', 'localId']),
)

/** Records the messages that reserved ids belong to, from a list of `[user id, local id, message id]`. */
const saveLocalIds = defineUnawaitedWrite('sentLocalIds', (tx, list: string) =>
  tx
    .updateTable('sentLocalIds')
    .from(
      rowsIn(tx.db, list)
        .select([integerAt(0).as('sender'), textAt(1).as('sentId'), integerAt(2).as('message')])
        .as('sent'),
    )
    .set(({ ref }) => ({ messageId: ref('sent.message') }))
    .whereRef('userId', '=', 'sent.sender')
    .whereRef('localId', '=', 'sent.sentId'),
)

/** Deletes a batch of expired ids; returns true if there may be more. */
export async function deleteExpiredLocalIds(tx: Transaction): Promise<boolean> {
  const expired = await tx.db
    .selectFrom('sentLocalIds')
    .select('sentAt')
    .where('sentAt', '<=', tx.now - LOCAL_ID_LIFETIME)
    .orderBy('sentAt')
    .limit(DELETED_AT_ONCE)
    .execute()
  const last = expired.at(-1)
  if (last !== undefined) await tx.deleteFrom('sentLocalIds').where('sentAt', '<=', last.sentAt).execute()
  return expired.length === DELETED_AT_ONCE
}

/** A message, and the id that its sender's client or an email gave to it. */
type Send = { prepared: PreparedMessage; localId: string | undefined }

/**
 * Saves and delivers the message. If its author has already sent it, returns the first message instead, whose
 * recipients have already been notified. This happens because clients repeat requests whose response was lost.
 */
export async function sendOnce(
  tx: Transaction,
  prepared: PreparedMessage,
  localId: string | undefined,
): Promise<SentMessage> {
  const [outcome] = await sendEachOnce(tx, [{ prepared, localId }])
  if (outcome instanceof Refusal) throw outcome
  return outcome as SentMessage
}

type Outcome = SentMessage | Refusal

/** Like `sendOnce`, for messages in this order. A message that is refused leaves nothing behind. */
async function sendEachOnce(tx: Transaction, sends: readonly Send[]): Promise<Outcome[]> {
  const claims = await claimLocalIds(tx, sends)
  const outcomes = new Map<Send, Outcome>()
  const sendable = new Map<Send, SendableMessage>()
  for (const send of sends) {
    if (claims.get(keyOf(send)) !== send) continue
    try {
      sendable.set(send, await requireSendable(tx, send.prepared))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      outcomes.set(send, error)
      await releaseLocalId(tx, send)
    }
  }
  const sent = await saveMessages(tx, [...sendable.values()])
  for (const [at, send] of [...sendable.keys()].entries()) outcomes.set(send, sent[at] as SentMessage)
  const named = [...sendable.keys()].filter(hasUniqueId)
  if (named.length > 0)
    saveLocalIds(tx, JSON.stringify(named.map((send) => [...rowOf(send), idOf(outcomes.get(send))])))
  for (const send of sends) if (!outcomes.has(send)) outcomes.set(send, await findFirst(tx, send, outcomes, claims))
  return sends.map((send) => outcomes.get(send) as Outcome)
}

/** Returns the outcome of the message that was first sent with the id. */
async function findFirst(
  tx: Transaction,
  send: Send,
  outcomes: ReadonlyMap<Send, Outcome>,
  claims: ReadonlyMap<Key, Send>,
): Promise<Outcome> {
  const first = claims.get(keyOf(send))
  const outcome = first === undefined ? undefined : outcomes.get(first)
  if (outcome instanceof Refusal) return outcome
  const id = outcome?.id ?? (await findSentMessage(tx.db, send.prepared.author.user.id, send.localId ?? ''))
  // The id may have expired since it was found to be taken.
  return id === null ? sendOnce(tx, send.prepared, send.localId) : { id, newPolicy: null, recipientCount: 0 }
}

type Key = string | Send

/** Returns what identifies the message: its sender and local id if the id is unique, and otherwise the request itself. */
const keyOf = (send: Send): Key => (hasUniqueId(send) ? JSON.stringify(rowOf(send)) : send)

const hasUniqueId = ({ localId }: Send) => localId !== undefined && isUniqueLocalId(localId)

const rowOf = ({ prepared, localId }: Send) => [prepared.author.user.id, localId] as const

const idOf = (outcome: Outcome | undefined) => (outcome as SentMessage).id

/**
 * Reserves the unique ids for messages of this transaction, and returns the message that each is reserved for. Ids that
 * were taken before are not in the map. If another transaction has reserved one, this waits until that transaction ends.
 */
async function claimLocalIds(tx: Transaction, sends: readonly Send[]): Promise<ReadonlyMap<Key, Send>> {
  const claims = new Map<Key, Send>()
  for (const send of sends) if (!claims.has(keyOf(send))) claims.set(keyOf(send), send)
  const named = [...claims.keys()].filter((key) => typeof key === 'string')
  if (named.length === 0) return claims
  // In one order, so that no two transactions wait for each other.
  const claimed = await claimRows(tx, `[${named.sort().join()}]`, tx.now)
  const free = new Set(claimed.map(({ userId, localId }) => JSON.stringify([userId, localId])))
  for (const key of named) if (!free.has(key)) claims.delete(key)
  return claims
}

async function releaseLocalId(tx: Transaction, send: Send): Promise<void> {
  if (!hasUniqueId(send)) return
  const [userId, localId = ''] = rowOf(send)
  await tx.deleteFrom('sentLocalIds').where('userId', '=', userId).where('localId', '=', localId).execute()
}

/** The maximum numbers of messages and of recipients of a transaction, so that no sender waits long for the others. */
const MAX_JOINT_MESSAGES = 100
const MAX_JOINT_RECIPIENTS = 10_000

/** The maximum number of channels whose recipients are counted. */
const MAX_COUNTED_CHANNELS = 10_000

/** The number of transactions that send at the same time on PostgreSQL, where each waits for the ids of the one before. */
const LANES = 2

type WaitingSend = Send & PromiseWithResolvers<SentMessage>

/**
 * Sends messages like `sendOnce`, each in a transaction that it shares with those that wait at the same time. Each is
 * refused, or fails, alone.
 */
export class JointSender {
  readonly #transaction: RunTransaction
  readonly #lanes: number
  /** True if a transaction begins at once, so that messages of one turn of the event loop would not meet. */
  readonly #beginsAtOnce: boolean
  /** The number of recipients of the last message to each channel. */
  readonly #recipientCounts = new Map<number, number>()
  #waiting: WaitingSend[] = []
  #running = 0
  #isBeginning = false

  constructor({ transaction, db }: Pick<Storage, 'transaction' | 'db'>) {
    this.#transaction = transaction
    this.#beginsAtOnce = db.dialect === 'sqlite'
    // On SQLite a transaction does not wait for the commit of the one before.
    this.#lanes = db.dialect === 'sqlite' ? Number.POSITIVE_INFINITY : LANES
  }

  send(prepared: PreparedMessage, localId: string | undefined): Promise<SentMessage> {
    const send = { prepared, localId, ...Promise.withResolvers<SentMessage>() }
    this.#waiting.push(send)
    this.#runNext()
    return send.promise
  }

  #runNext(): void {
    if (this.#waiting.length === 0 || this.#isBeginning || this.#running >= this.#lanes) return
    this.#running += 1
    this.#isBeginning = true
    void this.#run().finally(() => {
      this.#running -= 1
      this.#runNext()
    })
  }

  async #run(): Promise<void> {
    let sends: WaitingSend[] = []
    if (this.#beginsAtOnce) await untilTurnEnds()
    try {
      const outcomes = await this.#transaction(
        async (tx) => {
          // The transaction may run again.
          if (sends.length === 0) sends = this.#take(this.#countJoint())
          return sendEachOnce(tx, sends)
        },
        { repeatsLockTimeouts: false },
      )
      for (const [at, send] of sends.entries()) this.#settle(send, outcomes[at] as Outcome)
    } catch (error) {
      // If no transaction could begin, all that wait fail now, because the next ones would wait as long again.
      if (sends.length === 0) sends = this.#take(this.#waiting.length)
      if (sends.length === 1 || isCommonFailure(error)) for (const { reject } of sends) reject(error)
      else await this.#sendAlone(sends)
    }
  }

  #take(count: number): WaitingSend[] {
    const sends = this.#waiting.splice(0, count)
    this.#isBeginning = false
    this.#runNext()
    return sends
  }

  /** Returns how many of the messages that wait share the next transaction. */
  #countJoint(): number {
    let [count, recipients] = [0, 0]
    for (const { prepared } of this.#waiting) {
      recipients += this.#recipientCounts.get(prepared.target.channel?.id ?? 0) ?? 1
      if (count === MAX_JOINT_MESSAGES || (count > 0 && recipients > MAX_JOINT_RECIPIENTS)) break
      count += 1
    }
    return count
  }

  #settle({ prepared, resolve, reject }: WaitingSend, outcome: Outcome): void {
    if (outcome instanceof Refusal) return reject(outcome)
    const { channel } = prepared.target
    if (this.#recipientCounts.size >= MAX_COUNTED_CHANNELS) this.#recipientCounts.clear()
    if (channel !== null && outcome.recipientCount > 0) this.#recipientCounts.set(channel.id, outcome.recipientCount)
    resolve(outcome)
  }

  /** Sends each message in a transaction of its own, because one of them made the joint transaction fail. */
  async #sendAlone(sends: readonly WaitingSend[]): Promise<void> {
    await Promise.all(
      sends.map(({ prepared, localId, resolve, reject }) =>
        this.#transaction((tx) => sendOnce(tx, prepared, localId)).then(resolve, reject),
      ),
    )
  }
}

/** Returns whether the database failed, and not one of the messages. */
const isCommonFailure = (error: unknown): boolean =>
  (error instanceof DatabaseUnavailable && !(error instanceof LockTimeout || error instanceof OrganizationMoving)) ||
  error instanceof CommitOutcomeUnknown ||
  error instanceof OperatorError
