import { sql } from 'kysely'
import { maySeeChannel } from '../../channels/access.ts'
import type { Channel } from '../../channels/channel.ts'
import { findOwnStatus, NO_CHANNEL_ID } from '../../channels/own-subscription.ts'
import { findChannel, findChannelByName } from '../../channels/queries.ts'
import { findChannelsKnownByName } from '../../channels/subscriptions/queries.ts'
import type { Viewer } from '../../groups/viewer.ts'
import { normalizeTopic, topicKey } from '../topic.ts'
import type { Operator } from './clause.ts'
import { badNarrow } from './refusals.ts'
import { type Operand, operandText, parseId } from './term.ts'

export const channel: Operator = async (viewer, { operand }) => {
  const { id } = await requireNamedChannel(viewer, operand)
  return { condition: sql<boolean>`"messages"."channelId" = ${id}`, hints: { channelId: id }, opensHistory: true }
}

/**
 * Returns the channel with this name or id. Refuses a channel that the reader may not know of like a missing one. The
 * exception is a former subscriber who names the channel by its id, or by the name that it had then.
 */
async function requireNamedChannel(viewer: Viewer, operand: Operand): Promise<Channel> {
  const { db, actor } = viewer
  if (typeof operand === 'object') throw badNarrow({ desc: `unknown channel ${operand}` })
  const byName = typeof operand === 'string' ? await findChannelByName(db, actor.realmId, operand.trim()) : null
  const maySeeByName = await maySeeChannel(viewer, byName)
  const nameId = byName?.id ?? NO_CHANNEL_ID
  const knowsName = maySeeByName || (await findChannelsKnownByName(db, [actor.id], [nameId])).has(nameId)
  if (byName !== null && knowsName) return byName

  const byId = await findChannel(db, actor.realmId, parseId(operand) ?? NO_CHANNEL_ID)
  const maySeeById = await maySeeChannel(viewer, byId)
  const wasSubscribed = maySeeById || (await findOwnStatus(viewer, byId?.id ?? NO_CHANNEL_ID)) !== null
  if (byId !== null && wasSubscribed) return byId
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
