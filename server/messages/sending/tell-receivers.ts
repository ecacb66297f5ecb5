import { findActiveUsers } from '../../channels/audience-queries.ts'
import { findNonViewerIds } from '../../groups/visible-users.ts'
import type { Transaction } from '../../platform/storage/storage.ts'
import { type Cast, findCast, messageSetting, type Place } from '../content/message-setting.ts'
import { eventForm, messageEvent } from '../events.ts'
import { toFlagsJson } from '../flags/flag.ts'
import type { Message, Submessage } from '../message.ts'
import { toMessageJson } from '../reading/message-json.ts'
import { idsOf, type Receivers } from './deliver.ts'
import type { PreparedMessage } from './prepare-message.ts'

type Sent = { message: Message; submessages: Submessage[]; place: Place }

/**
 * Tells all who received the message of it: one event for those who have the same flags and see the same recipient and
 * sender. The sender's own names what their client knows the message by. Tells those of `listenerIds`, too, who did not
 * receive it.
 */
export async function tellReceivers(
  tx: Transaction,
  { author, rendering, localEcho }: PreparedMessage,
  sent: Sent,
  receivers: Receivers,
  listenerIds: readonly number[],
): Promise<void> {
  const { message, submessages, place } = sent
  const { realm, user: sender } = author
  const strangers = await findStrangersAmong(tx, author, receivers)
  const cast = await findCast(tx.db, realm, [sent])
  const isOneToOne = place.channel === null && place.conversation.groupRecipientId === null
  const echoTo = localEcho === null ? null : sender.id
  const kindOf = (userId: number) => {
    if (isOneToOne || userId === echoTo) return `to ${userId}`
    return strangers.has(userId) ? 'of somebody unknown' : 'of the sender'
  }
  const areAlike = !isOneToOne && echoTo === null && strangers.size === 0
  for (const [flags, holders] of receivers) {
    for (const hearers of areAlike ? [holders] : Map.groupBy(holders, kindOf).values()) {
      const userId = hearers[0] as number
      const setting = messageSetting(cast, sent, userId)
      setting.hidesSender = strangers.has(userId)
      setting.submessages = submessages
      const json = toMessageJson(message, setting, eventForm)
      const event = messageEvent(json, rendering.html, toFlagsJson(flags), userId === echoTo ? localEcho : null)
      tx.emit(realm.id, event, hearers)
    }
  }
  tellListeners(tx, cast, sent, rendering.html, receivers, listenerIds)
}

function tellListeners(
  tx: Transaction,
  cast: Cast,
  sent: Sent,
  renderedContent: string,
  receivers: Receivers,
  listenerIds: readonly number[],
): void {
  if (listenerIds.length === 0) return
  const receiverIds = idsOf(receivers)
  const ids = listenerIds.filter((id) => !receiverIds.has(id))
  if (ids.length === 0) return
  const setting = messageSetting(cast, sent, ids[0] as number)
  setting.submessages = sent.submessages
  const json = toMessageJson(sent.message, setting, eventForm)
  tx.emit(cast.realm.id, { ...messageEvent(json, renderedContent, [], null), all_public: true }, ids)
}

async function findStrangersAmong(
  tx: Transaction,
  author: PreparedMessage['author'],
  receivers: Receivers,
): Promise<ReadonlySet<number>> {
  const { guests } = await findActiveUsers(tx.db, author.realm.id)
  if (guests.length === 0) return new Set()
  const receiverIds = idsOf(receivers)
  const hearing = guests.filter((guest) => receiverIds.has(guest.id))
  return findNonViewerIds(tx.db, author.realm, author.user, hearing, tx.now)
}
