import type { Db } from '#storage/storage.ts'

/**
 * Returns an id that separates the organization's messages: those with lower ids were sent before `time`, the others at
 * `time` or later. Returns null if all messages were sent before `time`. Uses bisection, because ids grow with time.
 */
export async function findFirstIdSince(db: Db, realmId: number, time: number): Promise<number | null> {
  const findFrom = (id: number, order: 'asc' | 'desc') =>
    db
      .selectFrom('messages')
      .select(['id', 'sentAt'])
      .where('realmId', '=', realmId)
      .where('id', '>=', id)
      .orderBy('id', order)
      .limit(1)
      .executeTakeFirst()
  const last = await findFrom(1, 'desc')
  if (last === undefined || last.sentAt < time) return null
  let [low, high] = [1, last.id]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const found = await findFrom(middle, 'asc')
    if (found !== undefined && found.sentAt < time) low = found.id + 1
    else high = middle
  }
  return low
}
