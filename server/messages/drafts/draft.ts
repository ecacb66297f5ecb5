import { z } from 'zod'

/** An unsent message to a channel, to users or without recipients. */
export type Draft = {
  id: number
  type: DraftType
  /** The channel id, or the user ids without the author. */
  recipientIds: readonly number[]
  topic: string
  content: string
  editedAt: number
}

export const draftTypes = ['', 'stream', 'private'] as const

export type DraftType = (typeof draftTypes)[number]

export const draftJson = z.strictObject({
  id: z.int(),
  type: z.enum(draftTypes),
  to: z.array(z.int()),
  topic: z.string(),
  content: z.string(),
  timestamp: z.int(),
})

export function toDraftJson(draft: Draft): z.infer<typeof draftJson> {
  const { id, type, recipientIds, topic, content, editedAt } = draft
  return { id, type, to: [...recipientIds], topic, content, timestamp: Math.floor(editedAt) }
}
