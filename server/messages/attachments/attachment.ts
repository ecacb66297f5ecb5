import { z } from 'zod'

/** An uploaded file. */
export type Attachment = {
  id: number
  realmId: number
  ownerId: number
  /** Where its bytes lie, and the middle of its URL: organization, shard, secret. */
  place: string
  /** The end of its URL: its name, without what does not belong into one. */
  fileName: string
  /** As its owner called it. */
  name: string
  /** In bytes. */
  size: number
  createdAt: number
  image: AttachedImage | null
}

/** What is known of a picture, as it is to be shown. */
export type AttachedImage = { contentType: string; width: number; height: number; isAnimated: boolean }

/** What follows `/user_uploads/` in the URL of the file. */
export const pathIdOf = ({ place, fileName }: Pick<Attachment, 'place' | 'fileName'>) => `${place}/${fileName}`

/** A message that links to a file. */
export type Claim = { attachmentId: number; messageId: number; sentAt: number }

export const attachmentJson = z.strictObject({
  id: z.int(),
  name: z.string(),
  path_id: z.string().describe('What follows `/user_uploads/` in its URL.'),
  size: z.int().describe('In bytes.'),
  create_time: z.int().describe('UNIX time in milliseconds.'),
  messages: z
    .array(z.strictObject({ date_sent: z.int().describe('UNIX time in milliseconds.'), id: z.int() }))
    .describe('Those that link to it, as far as its owner may read them.'),
})

/** Times are whole seconds, told in milliseconds. */
const toMilliseconds = (seconds: number) => Math.floor(seconds) * 1000

export function toAttachmentJson(attachment: Attachment, claims: readonly Claim[]): z.infer<typeof attachmentJson> {
  const { id, name, size, createdAt } = attachment
  const messages = claims
    .filter((claim) => claim.attachmentId === id)
    .map(({ messageId, sentAt }) => ({ date_sent: toMilliseconds(sentAt), id: messageId }))
  return { id, name, path_id: pathIdOf(attachment), size, create_time: toMilliseconds(createdAt), messages }
}
