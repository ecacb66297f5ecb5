import { sql } from 'kysely'
import { findDirectConversation } from '../sending/direct-conversations.ts'
import type { Operator } from './clause.ts'
import { requireOperandUser, requireOperandUsers } from './operand-users.ts'
import { matchesNothing } from './sql.ts'

/** Matches the direct conversation between the reader and exactly these users. Without users it matches nothing. */
export const dm: Operator = async (viewer, { operand }) => {
  const { db, actor } = viewer
  const people = await requireOperandUsers(viewer, operand)
  const participantIds = new Set([actor.id, ...people.map((user) => user.id)])
  const conversation = people.length === 0 ? null : await findDirectConversation(db, actor.realmId, [...participantIds])
  if (conversation === null) return { condition: matchesNothing, hints: { conversationId: 0 } }
  const { id } = conversation
  return { condition: sql<boolean>`"messages"."conversationId" = ${id}`, hints: { conversationId: id } }
}

/** Matches all direct conversations that include the user. */
export const dmIncluding: Operator = async (viewer, { operand }) => {
  const { id } = await requireOperandUser(viewer, operand)
  const condition = sql<boolean>`"messages"."conversationId" in (
    select "conversationId" from "conversationMembers" where "userId" = ${id})`
  return { condition, hints: { isDirect: true } }
}

/** Matches all direct conversations of three or more users that include the user. */
export const groupPmWith: Operator = async (viewer, { operand }) => {
  const { id } = await requireOperandUser(viewer, operand)
  const condition = sql<boolean>`"messages"."conversationId" in (
    select "conversationId" from "conversationMembers"
    inner join "conversations" on "conversations"."id" = "conversationMembers"."conversationId"
    where "userId" = ${id} and "recipientId" is not null)`
  return { condition, hints: { isDirect: true } }
}
