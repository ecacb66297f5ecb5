import { notificationNames, readNotifications } from '#channels/subscriptions.ts'
import type { DirectConversation } from '#messages/message.ts'
import type { Db } from '#storage/storage.ts'
import { CHANNEL, GROUP, PERSON } from '../importing/shapes.ts'
import { type ExportedPeople, findConversations, findExportedSubscriptions, type StoredMessage } from './queries.ts'
import type { Selection } from './selection.ts'
import type { ExportTables, RecipientRow, SubscriptionRow } from './tables.ts'

/** The recipients of messages in the format: one for each channel, each user and each group of users. */
export type ExportedRecipients = {
  /** Returns the recipient of a message. */
  of(message: Pick<StoredMessage, 'channelId' | 'conversationId' | 'senderId'>): number
  tables: ExportTables
}

export async function openRecipients(
  db: Db,
  realmId: number,
  { users, systemBots, selection }: ExportedPeople & { selection: Selection },
): Promise<ExportedRecipients> {
  const people = [...users, ...systemBots]
  const { channels } = selection
  const all = await findConversations(db, realmId)
  const conversations = all.filter(({ participantIds }) => selection.hasConversation(participantIds))
  const groups = conversations.filter(isGroup)
  const subscriptions = await subscriptionRows(db, realmId, selection)
  const ofUser = new Map(people.map(({ id, recipientId }) => [id, recipientId]))
  const ofChannel = new Map(channels.map(({ id, recipientId }) => [id, recipientId]))
  const conversationOf = new Map(conversations.map((conversation) => [conversation.id, conversation]))

  function of({ channelId, conversationId, senderId }: Parameters<ExportedRecipients['of']>[0]): number {
    const conversation = conversationOf.get(conversationId ?? 0)
    const recipient =
      conversation === undefined ? ofChannel.get(channelId ?? 0) : ofConversation(conversation, senderId)
    if (recipient === undefined) throw new Error('The message has no recipient')
    return recipient
  }

  /**
   * Returns the recipient of a direct conversation: the group's recipient, the other user's, or the sender's in notes
   * to self.
   */
  function ofConversation(
    { participantIds, groupRecipientId }: DirectConversation,
    senderId: number,
  ): number | undefined {
    return groupRecipientId ?? ofUser.get(participantIds.find((id) => id !== senderId) ?? senderId)
  }

  const rows: RecipientRow[] = [
    ...people.map(({ id, recipientId }) => ({ id: recipientId, type: PERSON, type_id: id })),
    ...channels.map(({ id, recipientId }) => ({ id: recipientId, type: CHANNEL, type_id: id })),
    ...groups.map(({ id, groupRecipientId }) => ({ id: groupRecipientId, type: GROUP, type_id: id })),
  ]
  const members: SubscriptionRow[] = groups.flatMap(({ participantIds, groupRecipientId }) =>
    participantIds.map((userId) => ({ user_profile: userId, recipient: groupRecipientId, active: true })),
  )
  return {
    of,
    tables: {
      zerver_recipient: rows,
      zerver_huddle: groups.map(({ id, participantIds }) => ({ id, huddle_hash: participantIds.join(',') })),
      zerver_subscription: [...subscriptions, ...members].map((row, index) => ({ id: index + 1, ...row })),
    },
  }
}

const isGroup = (conversation: DirectConversation): conversation is DirectConversation & { groupRecipientId: number } =>
  conversation.groupRecipientId !== null

/** For users who do not consent, the export contains only the fact that they are subscribed. */
async function subscriptionRows(db: Db, realmId: number, selection: Selection): Promise<SubscriptionRow[]> {
  const exported = new Set(selection.channels.map(({ id }) => id))
  const rows = (await findExportedSubscriptions(db, realmId)).filter(({ channelId }) => exported.has(channelId))
  return rows.map(({ userId, recipientId, unsubscribedAt, color, isMuted, isPinned, settings }) => {
    const row = { user_profile: userId, recipient: recipientId, active: unsubscribedAt === null }
    if (!selection.hasPrivateDataOf(userId)) return row
    const notifications = readNotifications(settings)
    return {
      ...row,
      color,
      is_muted: isMuted === 1,
      pin_to_top: isPinned === 1,
      ...Object.fromEntries(notificationNames.map((name) => [name, notifications[name]])),
    }
  })
}
