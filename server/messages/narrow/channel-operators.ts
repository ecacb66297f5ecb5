import { sql } from 'kysely'
import { maySeeChannel, NO_CHANNEL_ID } from '../../channels/access.ts'
import type { Channel } from '../../channels/channel.ts'
import { findChannel, findChannelByName } from '../../channels/queries.ts'
import { findSubscriptionStatus } from '../../channels/subscription-status-queries.ts'
import { findChannelsKnownByName } from '../../channels/subscriptions/queries.ts'
import { meantTopic, topicKey } from '../topic.ts'
import type { NarrowContext, Operator } from './clause.ts'
import { badNarrow } from './refusals.ts'
import { type Operand, operandText, parseId } from './term.ts'

export const channel: Operator = async (narrower, { operand }) => {
  const { id } = await requireNamedChannel(narrower, operand)
  return { condition: sql<boolean>`"messages"."channelId" = ${id}`, hints: { channelId: id }, opensHistory: true }
}

/**
 * The channel of a name or an id. One that the reader may not know of is refused like one that does not exist, unless
 * they were in it, and named it by its id or by the name that it had then.
 */
async function requireNamedChannel({ db, actor, now }: NarrowContext, operand: Operand): Promise<Channel> {
  if (typeof operand === 'object') throw badNarrow({ desc: `unknown channel ${operand}` })
  const named = typeof operand === 'string' ? await findChannelByName(db, actor.realmId, operand.trim()) : null
  const mayKnowNamed = await maySeeChannel(db, actor, named, now)
  const namedId = named?.id ?? NO_CHANNEL_ID
  const knewName = mayKnowNamed || (await findChannelsKnownByName(db, [actor.id], [namedId])).has(namedId)
  if (named !== null && knewName) return named

  const ofId = await findChannel(db, actor.realmId, parseId(operand) ?? NO_CHANNEL_ID)
  const mayKnowOfId = await maySeeChannel(db, actor, ofId, now)
  const wasIn = mayKnowOfId || (await findSubscriptionStatus(db, actor.id, ofId?.id ?? NO_CHANNEL_ID)) !== null
  if (ofId !== null && wasIn) return ofId
  throw badNarrow({ desc: `unknown channel ${operand}` })
}

export const channels: Operator = ({ actor }, term) => {
  const operand = operandText(term)
  if (operand !== 'public' && operand !== 'web-public') throw badNarrow({ desc: `unknown channels operand ${operand}` })
  const kind = operand === 'public' ? sql`"isPrivate" = 0` : sql`"isWebPublic" = 1`
  const condition = sql<boolean>`"messages"."channelId" in (
    select "id" from "channels" where "realmId" = ${actor.realmId} and ${kind})`
  return { condition, opensHistory: true }
}

export const topic: Operator = (_, term) => {
  const key = topicKey(meantTopic(operandText(term)))
  const condition = sql<boolean>`"messages"."channelId" is not null and "messages"."topicKey" = ${key}`
  return { condition, hints: { topicKey: key } }
}
