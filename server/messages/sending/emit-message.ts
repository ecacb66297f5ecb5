import { findActiveUsers } from '../../channels/audience-queries.ts'
import { findNonViewerIds } from '../../groups/visible-users.ts'
import type { Transaction } from '../../platform/storage/storage.ts'
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
 * Tells all who received the message of it: one event for those who have the same flags and see the same recipient and
 * sender. The sender's own names what their client knows the message by. Tells those of `listenerIds`, too, who did not
 * receive it.
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
  const strangers = await findStrangersAmong(tx, author, recipients)
  const sharedContext = await findSharedMessageContext(tx.db, realm, [sent])
  const isOneToOne = conversation.channel === null && conversation.direct.groupRecipientId === null
  const echoTo = localEcho === null ? null : sender.id
  const kindOf = (userId: number) => {
    if (isOneToOne || userId === echoTo) return `to ${userId}`
    return strangers.has(userId) ? 'of somebody unknown' : 'of the sender'
  }
  const areAlike = !isOneToOne && echoTo === null && strangers.size === 0
  for (const [flags, holders] of recipients) {
    for (const audience of areAlike ? [holders] : Map.groupBy(holders, kindOf).values()) {
      const userId = audience[0] as number
      const context = toMessageContext(sharedContext, sent, userId)
      context.hidesSender = strangers.has(userId)
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

async function findStrangersAmong(
  tx: Transaction,
  author: PreparedMessage['author'],
  recipients: RecipientsByFlags,
): Promise<ReadonlySet<number>> {
  const { guests } = await findActiveUsers(tx.db, author.realm.id)
  if (guests.length === 0) return new Set()
  const recipientIds = recipientIdsOf(recipients)
  const hearing = guests.filter((guest) => recipientIds.has(guest.id))
  return findNonViewerIds(tx.db, author.realm, author.user, hearing, tx.now)
}
