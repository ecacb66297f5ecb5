import { sql } from 'kysely'
import { maySeeChannel } from '#channels/access.ts'
import type { Channel } from '#channels/channel.ts'
import { NO_CHANNEL_ID } from '#channels/own-subscription.ts'
import { findChannelByName } from '#channels/queries.ts'
import { findChannelsKnownByName } from '#channels/subscriptions/queries.ts'
import { normalizeTopic, topicKey } from '#channels/topic.ts'
import type { Viewer } from '#groups/viewer.ts'
import type { Operator } from './clause.ts'
import { badNarrow } from './refusals.ts'
import { operandText } from './term.ts'

/** An id may be of any channel: the scope of the reader leaves out the messages of hidden ones. */
export const channel: Operator = async (viewer, { operand }) => {
  const id = typeof operand === 'number' ? operand : (await requireNamedChannel(viewer, operand)).id
  return { condition: sql<boolean>`"messages"."channelId" = ${id}`, hints: { channelId: id }, opensHistory: true }
}

/**
 * Returns the channel with this name. Refuses a channel that the reader may not know of like a missing one. The
 * exception is a former subscriber who names the channel by the name that it had then.
 */
async function requireNamedChannel(viewer: Viewer, operand: string | readonly (string | number)[]): Promise<Channel> {
  const { db, actor } = viewer
  if (typeof operand === 'object') throw badNarrow({ desc: `unknown channel ${operand}` })
  const channel = await findChannelByName(db, actor.realmId, operand.trim())
  const maySee = await maySeeChannel(viewer, channel)
  const id = channel?.id ?? NO_CHANNEL_ID
  const knowsName = maySee || (await findChannelsKnownByName(db, [actor.id], [id])).has(id)
  if (channel !== null && knowsName) return channel
  throw badNarrow({ desc: `unknown channel ${operand}` })
}

export const channels: Operator = ({ actor }, term) => {
  const operand = operandText(term)
  if (operand !== 'public' && operand !== 'web-public') throw badNarrow({ desc: `unknown channels operand ${operand}` })
  const column = operand === 'public' ? sql`"isPrivate" = 0` : sql`"isWebPublic" = 1`
  const condition = sql<boolean>`"messages"."channelId" in (
    select "id" from "channels" where "realmId" = ${actor.realmId} and ${column})`
  return { condition, opensHistory: true }
}

export const topic: Operator = (_, term) => {
  const key = topicKey(normalizeTopic(operandText(term)))
  const condition = sql<boolean>`"messages"."channelId" is not null and "messages"."topicKey" = ${key}`
  return { condition, hints: { topicKey: key } }
}
