import { eventCounter } from '#storage/counters.ts'
import type { Emission, Storage } from '#storage/storage.ts'

/**
 * Returns a function that returns the events of an organization until then, in their order: those of the log, and those
 * that were published since this call.
 */
export function recordEvents(storage: Storage): (realmId: number) => Promise<Omit<Emission, 'realmId'>[]> {
  const { db } = storage
  const published: (Emission & { after: number })[] = []
  storage.onPublished((emission) => {
    const after = db.commitCounters.lastIds.get(eventCounter(emission.realmId)) ?? 0
    published.push({ ...emission, after })
  })
  return async (realmId) => {
    const rows = await db.selectFrom('events').selectAll().where('realmId', '=', realmId).orderBy('id').execute()
    const shared = new Map<number | null, number[]>()
    for (const { id, userIds } of await db.selectFrom('audiences').select(['id', 'userIds']).execute())
      shared.set(id, JSON.parse(userIds))
    const logged = rows.map(({ id, payload, audience, audienceId, absentIds }) => {
      const absent = new Set<number>(JSON.parse(absentIds ?? '[]'))
      const common = (shared.get(audienceId) ?? []).filter((userId) => !absent.has(userId))
      return { at: id, event: JSON.parse(payload), audience: [...common, ...JSON.parse(audience)] }
    })
    const ephemeral = published
      .filter((emission) => emission.realmId === realmId)
      .map(({ after, event, audience }) => ({ at: after + 0.5, event, audience }))
    return [...logged, ...ephemeral].sort((one, other) => one.at - other.at)
  }
}
