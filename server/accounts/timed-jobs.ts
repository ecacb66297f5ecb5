import { type Job, openDueJob, type PeriodicTaskOptions } from '#lib/jobs.ts'
import type { Log } from '#lib/log.ts'
import { deleteEndedStatus, findNextEnd } from '#people/statuses.ts'
import { findUser, saveUserSettings } from '#people/user-queries.ts'
import type { Actor } from '#people/users.ts'
import type { PresenceBoard } from '#presence/board.ts'
import { deleteEndedHiddenPresence, findNextHiddenPresence } from '#presence/change-presence.ts'
import { findRealm } from '#realms/queries.ts'
import { bypassCaches } from '#storage/cache.ts'
import type { Db, RunTransaction, Transaction } from '#storage/storage.ts'
import { changeUserSettings } from './change-user-settings.ts'
import { emitEndOfStatus } from './endpoints/statuses.ts'

// The jobs that act at a time that a user chose: clearing a status, and showing a hidden presence again.

type Options = Pick<PeriodicTaskOptions, 'clock' | 'isResponsible'> & {
  db: Db
  transaction: RunTransaction
  log: Log
}

/** Opens the job that clears statuses at their end times. */
export const openStatusJob = ({ db, transaction, ...options }: Options): Job =>
  openDueJob({
    ...options,
    findNext: () => findNextEnd(db),
    handle: ({ userId }) =>
      transaction(async (tx) => {
        const ended = await deleteEndedStatus(tx, userId)
        const account = ended === null ? null : await findActiveAccount(tx, userId)
        if (ended !== null && account !== null) await emitEndOfStatus(tx, account, ended)
      }),
    failureMessage: 'Failed to clear expired statuses',
  })

/**
 * Opens the job that shows hidden presences again at the times that users have chosen. A user is shown as active only
 * after their next activity.
 */
export const openHiddenPresenceJob = ({
  db,
  transaction,
  presence,
  ...options
}: Options & { presence: PresenceBoard }): Job =>
  openDueJob({
    ...options,
    findNext: () => findNextHiddenPresence(db),
    async handle({ userId, realmId }) {
      const board = await presence.forRealm(realmId)
      await transaction(async (tx) => {
        // The user may have chosen another time meanwhile.
        if (!(await deleteEndedHiddenPresence(tx, userId))) return
        bypassCaches(tx)
        const account = await findActiveAccount(tx, userId)
        const changes = { presence_enabled: true, presence_hidden_until: 0 }
        if (account === null) await saveUserSettings(tx, userId, changes)
        else await changeUserSettings(tx, account, changes, { presence, board }, { isPresent: false })
      })
    },
    failureMessage: 'Failed to show hidden presences again',
  })

/** Returns the account with its organization; null if either of them is deactivated. */
async function findActiveAccount({ db }: Transaction, userId: number): Promise<Actor | null> {
  const user = await findUser(db, userId)
  if (user === null || user.deactivatedAt !== null) return null
  const realm = await findRealm(db, user.realmId)
  return realm === null || realm.deactivatedAt !== null ? null : { ...user, realm }
}
