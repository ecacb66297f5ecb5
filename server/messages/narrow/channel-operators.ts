import { sql } from 'kysely'
import { mayKnowOf } from '../../channels/access.ts'
import type { Channel } from '../../channels/channel.ts'
import { findChannel, findChannelByName } from '../../channels/queries.ts'
import { findStanding } from '../../channels/standing-queries.ts'
import { meantTopic, topicKey } from '../topic.ts'
import type { Narrower, Operator } from './clause.ts'
import { badNarrow } from './refusals.ts'
import { idOf, type Operand, textOf } from './term.ts'

export const channel: Operator = async (narrower, { operand }) => {
  const { id } = await requireNamedChannel(narrower, operand)
  return { condition: sql<boolean>`"messages"."channelId" = ${id}`, aim: { channelId: id }, opensHistory: true }
}

/** One that the reader may not know of, and never was in, is refused like one that does not exist. */
async function requireNamedChannel({ db, actor, now }: Narrower, operand: Operand): Promise<Channel> {
  const found = typeof operand === 'object' ? null : await findNamedChannel({ db, actor, now }, operand)
  if (found !== null) {
    if (await mayKnowOf(db, actor, found, now)) return found
    if ((await findStanding(db, actor.id, found.id)) !== null) return found
  }
  throw badNarrow({ desc: `unknown channel ${operand}` })
}

async function findNamedChannel({ db, actor }: Narrower, operand: string | number): Promise<Channel | null> {
  const named = typeof operand === 'string' ? await findChannelByName(db, actor.realmId, operand.trim()) : null
  return named ?? findChannel(db, actor.realmId, idOf(operand) ?? 0)
}

export const channels: Operator = ({ actor }, term) => {
  const operand = textOf(term)
  if (operand !== 'public' && operand !== 'web-public') throw badNarrow({ desc: `unknown channels operand ${operand}` })
  const kind = operand === 'public' ? sql`"isPrivate" = 0` : sql`"isWebPublic" = 1`
  const condition = sql<boolean>`"messages"."channelId" in (
    select "id" from "channels" where "realmId" = ${actor.realmId} and ${kind})`
  return { condition, opensHistory: true }
}

export const topic: Operator = (_, term) => {
  const key = topicKey(meantTopic(textOf(term)))
  const condition = sql<boolean>`"messages"."channelId" is not null and "messages"."topicKey" = ${key}`
  return { condition, aim: { topicKey: key } }
}
