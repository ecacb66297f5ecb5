import { ImportError } from './import-error.ts'
import { type ExportData, REALM_FILE } from './read-export.ts'

const [PERSON, CHANNEL, GROUP] = [1, 2, 3]

/** The conversation of a message in the export, with the ids of the export. */
type ExportedConversation = { channelId: number } | { peopleIds: readonly number[] }

/** Finds the conversations of recipients. */
export type RecipientIndex = {
  /** Returns the channel of the recipient, or null if it is not a channel. */
  channelOf(recipientId: number): number | null
  /** Returns the conversation of a message from the sender; undefined if the recipient is missing. */
  conversationOf(recipientId: number, senderId: number): ExportedConversation | undefined
}

export function indexRecipients(data: ExportData): RecipientIndex {
  const { recipients, systemBots, users } = data
  const membersOf = groupMembers(data)
  // For people who did not agree to be exported, and for system bots, only the accounts contain the recipient.
  const withRecipients = [...systemBots, ...users.values()]
  const personOf = new Map(withRecipients.flatMap(({ id, recipient }) => (recipient ? [[recipient, id] as const] : [])))
  const channelById = new Map<number, number>()
  for (const { id, type, type_id } of recipients.values()) {
    if (type === CHANNEL) channelById.set(id, type_id)
    else if (type === PERSON) personOf.set(id, type_id)
    else if (type !== GROUP)
      throw new ImportError(`${REALM_FILE}, zerver_recipient: ${id} has the unknown type ${type}.`)
  }
  return {
    channelOf: (recipientId) => channelById.get(recipientId) ?? null,
    conversationOf(recipientId, senderId) {
      const channelId = channelById.get(recipientId)
      if (channelId !== undefined) return { channelId }
      const personId = personOf.get(recipientId)
      if (personId !== undefined) return { peopleIds: [...new Set([senderId, personId])] }
      const peopleIds = membersOf.get(recipientId)
      return peopleIds && { peopleIds }
    },
  }
}

/** Returns the participants of each group conversation by its recipient, from the subscriptions. */
function groupMembers({ recipients, subscriptions }: ExportData): Map<number, number[]> {
  const members = new Map<number, number[]>()
  for (const { id, type } of recipients.values()) if (type === GROUP) members.set(id, [])
  for (const { recipient, user_profile } of subscriptions) members.get(recipient)?.push(user_profile)
  return members
}
