import { Role } from '../../people/users/role.ts'
import { defineCache } from '../../platform/storage/cache.ts'
import { defineQuery } from '../../platform/storage/prepared-query.ts'

const listeners = defineQuery((db, realmId: number) =>
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

const listenersOfRealm = defineCache<number, readonly number[]>({
  dependsOn: ['eventQueues', 'users'],
  isBypassedInTransactions: true,
  limit: 200,
  load: async (db, realmId) => (await listeners(db, realmId)).map((row) => row.userId),
})

/** Who has an event queue that messages of all public channels go into, subscribed or not; nobody who became a guest since. */
export const findAllPublicUserIds = listenersOfRealm.get
