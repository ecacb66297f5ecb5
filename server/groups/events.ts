import { findUsersById } from '#people/users/queries.ts'
import { isBot } from '#people/users/user.ts'
import { findRealm } from '#realms/queries.ts'
import type { EmittedOfType, Transaction } from '#storage/storage.ts'
import { type ActiveAccount, type ActiveAccounts, findActiveAccounts } from './members.ts'
import { findConnectionsAmong, findLimitedGuests } from './visible-users.ts'

/** An event about a group, without its type. */
export type GroupEvent = WithoutType<EmittedOfType<'user_group'>>

type WithoutType<Each> = Each extends unknown ? Omit<Each, 'type'> : never

/** Emits group events to everyone in the organization. Limited guests receive only the members that they may see. */
export async function emitGroupEvents(tx: Transaction, realmId: number, events: readonly GroupEvent[]): Promise<void> {
  if (events.length === 0) return
  const people = await findActiveAccounts(tx.db, realmId)
  const realm = await findRealm(tx.db, realmId)
  const limited = realm === null ? [] : await findLimitedGuests(tx.db, realm, [...people.values()], tx.now)
  const limitedIds = limited.map((guest) => guest.id)
  const others = new Set(people.keys()).difference(new Set(limitedIds))
  for (const event of events) {
    emitGroupEventTo(tx, realmId, event, others)
    await emitToLimitedGuests(tx, realmId, event, { people, guestIds: limitedIds })
  }
}

export function emitGroupEventTo(
  tx: Transaction,
  realmId: number,
  event: GroupEvent,
  audience: Iterable<number>,
): void {
  tx.emit(realmId, { type: 'user_group', ...event }, audience)
}

async function emitToLimitedGuests(
  tx: Transaction,
  realmId: number,
  event: GroupEvent,
  { people, guestIds }: { people: ActiveAccounts; guestIds: readonly number[] },
): Promise<void> {
  if (guestIds.length === 0) return
  const ids = memberIdsOf(event)
  if (ids === null) {
    emitGroupEventTo(tx, realmId, event, guestIds)
    return
  }
  const inactive = await findUsersById(tx.db, new Set(ids.filter((id) => !people.has(id))))
  const members = new Map<number, ActiveAccount>([...people, ...inactive.map((user) => [user.id, user] as const)])
  const isKnownBot = (id: number) => isBot(members.get(id) ?? { botType: null })
  const connections = await findConnectionsAmong(tx.db, guestIds, ids)
  const visible = (guestId: number) => ids.filter((id) => isKnownBot(id) || connections.get(guestId)?.has(id))
  for (const [text, audience] of Map.groupBy(guestIds, (guestId) => JSON.stringify(visible(guestId)))) {
    const part = withMemberIds(event, JSON.parse(text) as number[])
    if (part !== null) emitGroupEventTo(tx, realmId, part, audience)
  }
}

/** Returns the ids of the members that the event lists; null for events that list no members. */
function memberIdsOf(event: GroupEvent): readonly number[] | null {
  if (event.op === 'add') return event.group.members
  return event.op === 'add_members' || event.op === 'remove_members' ? event.user_ids : null
}

/** Returns the event with these members only; null if nothing is left of the event. */
function withMemberIds(event: GroupEvent, ids: number[]): GroupEvent | null {
  if (event.op === 'add') return { ...event, group: { ...event.group, members: ids } }
  if (event.op !== 'add_members' && event.op !== 'remove_members') return event
  return ids.length === 0 ? null : { ...event, user_ids: ids }
}
