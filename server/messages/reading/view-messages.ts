import { findChannelsById } from '../../channels/queries.ts'
import { findVisibleUserIds } from '../../groups/visible-users.ts'
import { type Actor, isVisible } from '../../people/users/user.ts'
import type { Db } from '../../platform/storage/storage.ts'
import { findCast, messageSetting, type Place } from '../content/message-setting.ts'
import { toFlagsJson } from '../flags/flag.ts'
import type { FoundMessage } from '../message.ts'
import { findReactionsTo, findSubmessagesOf } from './fetch.ts'
import { type MessageForm, type MessageJson, toMessageJson } from './message-json.ts'

/** Messages as the actor sees them who may read them all; a constant number of queries, however many they are. */
export async function viewMessages(
  db: Db,
  actor: Actor,
  messages: readonly FoundMessage[],
  form: MessageForm,
  now: number,
): Promise<MessageJson[]> {
  const placed = await withPlaces(db, actor, messages)
  const [cast, reactions, submessages, visibleIds] = await Promise.all([
    findCast(db, actor.realm, placed),
    findReactionsTo(db, idsOf(messages.filter((message) => message.hasReactions))),
    findSubmessagesOf(db, idsOf(messages.filter((message) => message.hasSubmessages))),
    findVisibleUserIds(db, actor, now),
  ])
  return placed.map(({ message, place }) => {
    const setting = messageSetting(cast, { message, place }, actor.id)
    setting.reactions = reactions.get(message.id) ?? []
    setting.submessages = submessages.get(message.id) ?? []
    setting.hidesSender = !isVisible(visibleIds, setting.sender)
    return Object.assign(toMessageJson(message, setting, form), { flags: toFlagsJson(message.flags) })
  })
}

const idsOf = (messages: readonly FoundMessage[]) => messages.map((message) => message.id)

type Placed = { message: FoundMessage; place: Place }

/** A message whose channel was meanwhile taken away is left out. */
async function withPlaces(db: Db, actor: Actor, messages: readonly FoundMessage[]): Promise<Placed[]> {
  const channelIds = new Set(messages.map((message) => message.channelId).filter((id) => id !== null))
  const channels = new Map(
    (await findChannelsById(db, actor.realmId, [...channelIds])).map((channel) => [channel.id, channel]),
  )
  return messages.flatMap((message): Placed[] => {
    if (message.conversation !== null)
      return [{ message, place: { channel: null, conversation: message.conversation } }]
    const channel = channels.get(message.channelId ?? 0)
    return channel === undefined ? [] : [{ message, place: { channel } }]
  })
}
