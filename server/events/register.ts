import { findMembershipScope } from '#groups/membership.ts'
import { withActingRole } from '#people/users/bots/acting-role.ts'
import { findUser } from '#people/users/queries.ts'
import type { Actor } from '#people/users/user.ts'
import type { RealmBoard } from '#presence/realm-board.ts'
import { findRealm } from '#realms/queries.ts'
import { bypassCaches } from '#storage/bypass-caches.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { findLastEventId, saveQueue } from './queues/queries.ts'
import type { EventQueue, QueueForm } from './queues/queue.ts'
import type { StateOptions } from './state/slice.ts'
import { fetchState } from './state/state.ts'

type Registration = {
  form: QueueForm
  options: StateOptions
  /** The event types whose state the client asked for; null for all. */
  stateTypes: readonly string[] | null
  /** Seconds without a poll after which the queue expires. */
  lifespan: number
  /** The time at which this server process was started. */
  startedAt: number
}

export type Registered = { queue: EventQueue; state: Record<string, unknown> }

/**
 * Creates a queue and reads the state as of the event before it. The events of the queue then keep the state up to
 * date. Runs in a snapshot. Presences come from memory, so this guarantee does not cover them.
 */
export async function register(
  tx: Transaction,
  actor: Actor,
  board: RealmBoard,
  { form, options, stateTypes, lifespan, startedAt }: Registration,
): Promise<Registered> {
  const { id: userId, realmId } = actor
  bypassCaches(tx)
  const startId = await findLastEventId(tx.db, realmId)
  const current = await findCurrent(tx.db, actor)
  const state = await fetchState({
    db: tx.db,
    actor: current,
    now: tx.now,
    startedAt,
    membership: await findMembershipScope(tx.db, current, tx.now),
    board,
    form: { ...form, ...options },
    wants: (type) => stateTypes === null || stateTypes.includes(type),
    names: (type) => stateTypes?.includes(type) ?? false,
  })
  return { queue: await saveQueue(tx, { realmId, userId, startId, lifespan, form }), state }
}

/** Reads the account and its organization, which may have changed since the request was authenticated. */
async function findCurrent(db: Db, { id, realmId }: Actor): Promise<Actor> {
  const user = await findUser(db, id)
  const realm = await findRealm(db, realmId)
  if (user === null || realm === null) throw new Error(`User ${id} was deleted`)
  return { ...(await withActingRole(db, user)), realm }
}
