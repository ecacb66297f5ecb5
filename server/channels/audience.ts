import { findMembershipScope, type MembershipScope } from '#groups/membership.ts'
import type { Realm } from '#realms/realm.ts'
import { hasMetadataAccess } from '#rules/channel-rules.ts'
import type { Db } from '#storage/storage.ts'
import { type ActiveUsers, findActiveUsers, findSubscribersAmong } from './audience-queries.ts'
import type { Channel } from './channel.ts'

const noSubscribers: ReadonlySet<number> = new Set()

/** User ids in ascending order. Channels with the same audience may share one array. */
export type Audience = readonly number[]

/**
 * Returns the users who may see each of the channels now, by channel id. Subscriptions are read only for channels where
 * they make a difference.
 */
export async function findAudiences(
  db: Db,
  realm: Realm,
  channels: readonly Channel[],
  now: number,
): Promise<Map<number, Audience>> {
  const scope = await findMembershipScope(db, { realmId: realm.id, realm }, now)
  const people = await findActiveUsers(db, realm.id)
  const hasGuests = people.memberIds.length < people.ids.length
  const idsOf = (chosen: readonly Channel[]) => chosen.map((channel) => channel.id)
  const subscribers = await findSubscribersAmong(db, {
    allOf: idsOf(channels.filter((channel) => channel.isPrivate)),
    guestsOf: hasGuests ? idsOf(channels.filter((channel) => !channel.isPrivate && !channel.isWebPublic)) : [],
  })
  return new Map(
    channels.map((channel) => [
      channel.id,
      audienceOf(scope, people, channel, subscribers.get(channel.id) ?? noSubscribers),
    ]),
  )
}

/** Returns the users who may see the channel now. */
export async function findAudience(db: Db, realm: Realm, channel: Channel, now: number): Promise<Audience> {
  return (await findAudiences(db, realm, [channel], now)).get(channel.id) ?? []
}

function audienceOf(
  scope: MembershipScope,
  people: ActiveUsers,
  channel: Channel,
  subscribers: ReadonlySet<number>,
): Audience {
  if (channel.isWebPublic) return people.ids
  if (!channel.isPrivate && subscribers.size === 0) return people.memberIds
  return people.all
    .filter((person) => hasMetadataAccess(scope, person, channel, subscribers.has(person.id)))
    .map((person) => person.id)
}
