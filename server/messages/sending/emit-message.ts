import { findActiveUsers } from '#channels/audience-queries.ts'
import { findNonViewerIds } from '#groups/visible-users.ts'
import type { Transaction } from '#storage/storage.ts'
import { findSharedMessageContext, type SharedMessageContext, toMessageContext } from '../content/message-context.ts'
import type { ConversationRef } from '../conversation.ts'
import { eventFormat, messageEvent } from '../events.ts'
import { toFlagsJson } from '../flags/flag.ts'
import type { Message, Submessage } from '../message.ts'
import { toMessageJson } from '../reading/message-json.ts'
import { type RecipientsByFlags, recipientIdsOf } from './deliver.ts'
import type { PreparedMessage } from './prepare-message.ts'

type Sent = { message: Message; submessages: Submessage[]; conversation: ConversationRef }

/**
 * Emits the message to its recipients. Users with the same flags who see the same recipient id and sender share an
 * event. The sender's event carries the local id that the sender's client chose. Users in `allPublicUserIds` who are
 * not recipients also receive the message.
 */
export async function emitMessage(
  tx: Transaction,
  { author, rendering, localEcho }: PreparedMessage,
  sent: Sent,
  recipients: RecipientsByFlags,
  allPublicUserIds: readonly number[],
): Promise<void> {
  const { message, submessages, conversation } = sent
  const { realm, user: sender } = author
  const nonViewerIds = await findNonViewersAmong(tx, author, recipients)
  const sharedContext = await findSharedMessageContext(tx.db, realm, [sent])
  const isOneToOne = conversation.channel === null && conversation.direct.groupRecipientId === null
  const echoTo = localEcho === null ? null : sender.id
  const groupOf = (userId: number) => {
    if (isOneToOne || userId === echoTo) return `user ${userId}`
    return nonViewerIds.has(userId) ? 'unknown sender' : 'known sender'
  }
  const isUniform = !isOneToOne && echoTo === null && nonViewerIds.size === 0
  for (const [flags, userIds] of recipients) {
    for (const audience of isUniform ? [userIds] : Map.groupBy(userIds, groupOf).values()) {
      const userId = audience[0] as number
      const context = toMessageContext(sharedContext, sent, userId)
      context.hidesSender = nonViewerIds.has(userId)
      context.submessages = submessages
      const json = toMessageJson(message, context, eventFormat)
      const event = messageEvent(json, rendering.html, toFlagsJson(flags), userId === echoTo ? localEcho : null)
      tx.emit(realm.id, event, audience)
    }
  }
  emitToAllPublicUsers(tx, sharedContext, sent, rendering.html, recipients, allPublicUserIds)
}

function emitToAllPublicUsers(
  tx: Transaction,
  sharedContext: SharedMessageContext,
  sent: Sent,
  renderedContent: string,
  recipients: RecipientsByFlags,
  allPublicUserIds: readonly number[],
): void {
  if (allPublicUserIds.length === 0) return
  const recipientIds = recipientIdsOf(recipients)
  const ids = allPublicUserIds.filter((id) => !recipientIds.has(id))
  if (ids.length === 0) return
  const context = toMessageContext(sharedContext, sent, ids[0] as number)
  context.submessages = sent.submessages
  const json = toMessageJson(sent.message, context, eventFormat)
  tx.emit(sharedContext.realm.id, { ...messageEvent(json, renderedContent, [], null), all_public: true }, ids)
}

async function findNonViewersAmong(
  tx: Transaction,
  author: PreparedMessage['author'],
  recipients: RecipientsByFlags,
): Promise<ReadonlySet<number>> {
  const { guests } = await findActiveUsers(tx.db, author.realm.id)
  if (guests.length === 0) return new Set()
  const recipientIds = recipientIdsOf(recipients)
  const receivingGuests = guests.filter((guest) => recipientIds.has(guest.id))
  return findNonViewerIds(tx.db, author.realm, author.user, receivingGuests, tx.now)
}
