import { ImportError } from './import-error.ts'
import { type ExportData, REALM_FILE } from './read-export.ts'

const [PERSON, CHANNEL, GROUP] = [1, 2, 3]

/** Where a message of the export stands; the ids are those of the export. */
export type ExportedConversation = { channelId: number } | { peopleIds: readonly number[] }

/** Tells where the messages with a recipient stand. */
export type RecipientIndex = {
  /** The channel with the recipient, or null where it is none's. */
  channelOf(recipientId: number): number | null
  /** Where a message of the sender stands; undefined where there is no such recipient. */
  conversationOf(recipientId: number, senderId: number): ExportedConversation | undefined
}

export function indexRecipients(data: ExportData): RecipientIndex {
  const { recipients, systemBots, users } = data
  const peopleOf = groupMembers(data)
  // Of people who did not agree to be exported, and of the bots of the server, the accounts alone say it.
  const withRecipients = [...systemBots, ...users.values()]
  const personOf = new Map(withRecipients.flatMap(({ id, recipient }) => (recipient ? [[recipient, id] as const] : [])))
  const channelById = new Map<number, number>()
  for (const { id, type, type_id } of recipients.values()) {
    if (type === CHANNEL) channelById.set(id, type_id)
    else if (type === PERSON) personOf.set(id, type_id)
    else if (type !== GROUP)
      throw new ImportError(`${REALM_FILE}, zerver_recipient: ${id} is of type ${type}, which is none.`)
  }
  return {
    channelOf: (recipientId) => channelById.get(recipientId) ?? null,
    conversationOf(recipientId, senderId) {
      const channelId = channelById.get(recipientId)
      if (channelId !== undefined) return { channelId }
      const personId = personOf.get(recipientId)
      if (personId !== undefined) return { peopleIds: [...new Set([senderId, personId])] }
      const peopleIds = peopleOf.get(recipientId)
      return peopleIds && { peopleIds }
    },
  }
}

/** The people of each group conversation, by its recipient: subscriptions say who they are. */
function groupMembers({ recipients, subscriptions }: ExportData): Map<number, number[]> {
  const members = new Map<number, number[]>()
  for (const { id, type } of recipients.values()) if (type === GROUP) members.set(id, [])
  for (const { recipient, user_profile } of subscriptions) members.get(recipient)?.push(user_profile)
  return members
}
