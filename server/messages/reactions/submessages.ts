import { refusal } from '../../base/refusal.ts'
import type { Transaction } from '../../storage/storage.ts'
import type { Actor } from '../../users/user.ts'
import { requireChangeableMessage } from '../access.ts'
import { findHearers } from '../audience.ts'
import { holdMessages } from '../editing/edit-rows.ts'
import { submessageEvent } from '../events.ts'
import { findSubmessages } from '../reading/fetch.ts'
import { followTakenPart } from '../sending/automatic-policies.ts'

export const submessageNotJson = refusal('BAD_REQUEST', 400, 'Invalid json for submessage')
export const mayNotAttach = refusal('BAD_REQUEST', 400, 'You cannot attach a submessage to this message.')

/** Attaches a submessage; the first one is the sender's to attach. */
export async function addSubmessage(
  tx: Transaction,
  actor: Actor,
  given: { messageId: number; msgType: string; content: string },
): Promise<void> {
  await holdMessages(tx, [given.messageId])
  const { message, place } = await requireChangeableMessage(tx.db, actor, given.messageId, tx.now)
  requireJson(given.content)
  const isFirst = (await findSubmessages(tx.db, message.id)).length === 0
  if (isFirst && message.senderId !== actor.id) throw mayNotAttach()

  const submessage = { ...given, senderId: actor.id }
  const { id } = await tx.insertInto('submessages').values(submessage).returning('id').executeTakeFirstOrThrow()
  await followTakenPart(tx, actor, place, message.topic)
  const hearers = await findHearers(tx, message.id, place)
  tx.emit(actor.realmId, submessageEvent({ ...submessage, id }), hearers.keys())
}

function requireJson(content: string): void {
  try {
    JSON.parse(content)
  } catch {
    throw submessageNotJson()
  }
}
