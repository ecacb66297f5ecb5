import { sql } from 'kysely'
import { findDirectConversation } from '../sending/direct-conversations.ts'
import type { Operator } from './clause.ts'
import { requireOperandUser, requireOperandUsers } from './operand-users.ts'
import { nothing } from './sql.ts'

/** The conversation of the reader with exactly these people; with nobody there is none. */
export const dm: Operator = async (narrower, { operand }) => {
  const { db, actor } = narrower
  const people = await requireOperandUsers(narrower, operand)
  const participantIds = new Set([actor.id, ...people.map((user) => user.id)])
  const conversation = people.length === 0 ? null : await findDirectConversation(db, actor.realmId, [...participantIds])
  if (conversation === null) return { condition: nothing, hints: { conversationId: 0 } }
  const { id } = conversation
  return { condition: sql<boolean>`"messages"."conversationId" = ${id}`, hints: { conversationId: id } }
}

/** All conversations in which somebody takes part. */
export const dmIncluding: Operator = async (narrower, { operand }) => {
  const { id } = await requireOperandUser(narrower, operand)
  const condition = sql<boolean>`"messages"."conversationId" in (
    select "conversationId" from "conversationMembers" where "userId" = ${id})`
  return { condition, hints: { isDirect: true } }
}

/** The conversations of three and more in which somebody takes part. */
export const groupPmWith: Operator = async (narrower, { operand }) => {
  const { id } = await requireOperandUser(narrower, operand)
  const condition = sql<boolean>`"messages"."conversationId" in (
    select "conversationId" from "conversationMembers"
    inner join "conversations" on "conversations"."id" = "conversationMembers"."conversationId"
    where "userId" = ${id} and "recipientId" is not null)`
  return { condition, hints: { isDirect: true } }
}
