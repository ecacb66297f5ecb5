import type { Migrator } from '../schema.ts'

/**
 * Makes indexes partial: a message is in a channel or in a conversation, and needs rows in the indexes of one kind
 * only.
 */
export async function indexMessagesWhereTheyAre({ run }: Migrator): Promise<void> {
  for (const columns of [
    ['channelId', 'id'],
    ['channelId', 'topicKey', 'id'],
    ['conversationId', 'id'],
  ] as const) {
    const name = `"messages_${columns.join('_')}"`
    const list = columns.map((column) => `"${column}"`).join(', ')
    await run(`drop index ${name}`)
    await run(`create index ${name} on "messages" (${list}) where "${columns[0]}" is not null`)
  }
}
