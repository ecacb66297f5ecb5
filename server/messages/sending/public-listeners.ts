import { defineQuery } from '../../storage/prepared-query.ts'
import type { Db } from '../../storage/storage.ts'
import { Role } from '../../users/role.ts'

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

/** Who has an event queue that messages of all public channels go into, subscribed or not; nobody who became a guest since. */
export async function findPublicListenerIds(db: Db, realmId: number): Promise<number[]> {
  return (await listeners(db, realmId)).map((row) => row.userId)
}
