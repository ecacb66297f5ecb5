import type { Migrator } from '../schema.ts'

/** Creates the queue of messages whose links get previews. */
export async function requestLinkPreviews({ createTable }: Migrator): Promise<void> {
  await createTable('linkPreviewRequests', {
    columns: { messageId: 'integer', senderId: 'integer' },
    primaryKey: ['messageId'],
    indexes: [['senderId']],
    belongsTo: { messageId: 'messages', senderId: 'users' },
  })
}
