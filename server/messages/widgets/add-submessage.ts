import { sql } from 'kysely'
import { viewerOf } from '#groups/viewer.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { findAccountIdsOfPerson } from '#people/users/daily-limits.ts'
import type { Actor } from '#people/users/user.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { requireChangeableMessage } from '../access.ts'
import { findMessageAudienceIds } from '../audience.ts'
import { submessageEvent } from '../events.ts'
import { followOnParticipation } from '../sending/follow-topics.ts'
import { MAX_SUBMESSAGES } from './submessage-limits.ts'
import { findWidgetDataError, widgetTypeOf } from './widget-data.ts'

export const submessageNotJson = refusal('BAD_REQUEST', 400, 'Invalid json for submessage', { field: 'content' })
export const mayNotAttach = refusal('BAD_REQUEST', 400, 'You cannot attach a submessage to this message.')
export const badWidgetData = refusal('BAD_REQUEST', 400, '{complaint}', { field: 'content' })
export const tooManySubmessages = refusal(
  'BAD_REQUEST',
  400,
  'This message cannot have more submessages. Start a new poll or to-do list.',
)
export const tooManyOwnSubmessages = refusal(
  'BAD_REQUEST',
  400,
  'You cannot attach more than {limit} submessages to a message that another user sent.',
)

/** The maximum number of submessages that a user and the user's bots can attach to another user's message. */
const MAX_BY_ONE_PERSON = 250

/** The maximum total size of the submessages of a message, in UTF-8 bytes. */
const MAX_BYTES = 400_000

/**
 * Attaches a submessage to a message. The first submessage must come from the sender of the message, and determines the
 * format of the later ones.
 */
export async function addSubmessage(
  tx: Transaction,
  actor: Actor,
  given: { messageId: number; msgType: string; content: string },
): Promise<void> {
  await lockForSubmessages(tx, given.messageId)
  const { message, conversation } = await requireChangeableMessage(viewerOf(tx.db, actor, tx.now), given.messageId)
  const data = requireJson(given.content)
  const first = await findFirstContent(tx.db, message.id)
  const isAuthor = message.senderId === actor.id
  if (first === null && !isAuthor) throw mayNotAttach()
  const complaint = first === null ? null : findWidgetDataError(widgetTypeOf(first), data, isAuthor)
  if (complaint !== null) throw badWidgetData({ complaint })
  await requireSubmessageSpace(tx.db, actor, message, given.content)

  const submessage = { ...given, senderId: actor.id }
  const { id } = await tx.insertInto('submessages').values(submessage).returning('id').executeTakeFirstOrThrow()
  await followOnParticipation(tx, actor, conversation)
  const audience = await findMessageAudienceIds(tx, [message.id], conversation)
  tx.emit(actor.realmId, submessageEvent({ ...submessage, id }), audience)
}

/** Makes concurrent submessages of a message wait for each other, so that the limits hold. */
async function lockForSubmessages(tx: Transaction, messageId: number): Promise<void> {
  await tx.db.selectFrom('messages').select('id').where('id', '=', messageId).forNoKeyUpdate().execute()
}

function requireJson(content: string): unknown {
  try {
    return JSON.parse(content)
  } catch {
    throw submessageNotJson()
  }
}

async function findFirstContent(db: Db, messageId: number): Promise<string | null> {
  const first = await db
    .selectFrom('submessages')
    .select('content')
    .where('messageId', '=', messageId)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return first?.content ?? null
}

async function requireSubmessageSpace(
  db: Db,
  actor: Actor,
  message: { id: number; senderId: number },
  content: string,
): Promise<void> {
  const accounts = await findAccountIdsOfPerson(db, actor)
  const used = await db
    .selectFrom('submessages')
    .select((is) => [
      is.fn.countAll<number>().as('all'),
      sql<number>`coalesce(sum(case when "senderId" in (${sql.join(accounts)}) then 1 else 0 end), 0)`.as('own'),
      sql<number>`coalesce(sum(octet_length("content")), 0)`.as('bytes'),
    ])
    .where('messageId', '=', message.id)
    .executeTakeFirstOrThrow()
  if (used.all >= MAX_SUBMESSAGES || used.bytes + Buffer.byteLength(content) > MAX_BYTES) throw tooManySubmessages()
  if (!accounts.includes(message.senderId) && used.own >= MAX_BY_ONE_PERSON)
    throw tooManyOwnSubmessages({ limit: MAX_BY_ONE_PERSON })
}
