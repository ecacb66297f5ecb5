import { Role } from '#rules/role.ts'
import { defineCache } from '#storage/cache.ts'
import { defineQuery } from '#storage/prepared-query.ts'

const findQueueOwners = defineQuery((db, realmId: number) =>
  db
    .selectFrom('eventQueues')
    .innerJoin('users', 'users.id', 'eventQueues.userId')
    .select('eventQueues.userId')
    .distinct()
    .where('eventQueues.realmId', '=', realmId)
    .where('hearsAllPublic', '=', 1)
    .where('deactivatedAt', 'is', null)
    .where('role', '<', Role.guest),
)

const queueOwnersOfRealm = defineCache<number, readonly number[]>({
  dependsOn: ['eventQueues', 'users'],
  isBypassedInTransactions: true,
  limit: 200,
  load: async (db, realmId) => (await findQueueOwners(db, realmId)).map((row) => row.userId),
})

/**
 * Returns the users with an event queue for messages of all public channels, subscribed or not. Leaves out users who
 * have become guests since they registered the queue.
 */
export const findAllPublicUserIds = queueOwnersOfRealm.get
