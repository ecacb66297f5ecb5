import { z } from 'zod'

/** An uploaded file. */
export type Attachment = {
  id: number
  realmId: number
  ownerId: number
  /** The storage path and the middle part of the URL: organization, shard and secret. */
  place: string
  /** The last part of the URL: the name without characters that a URL cannot contain. */
  fileName: string
  /** The name that the owner gave the file. */
  name: string
  /** The size in bytes. */
  size: number
  createdAt: number
  image: AttachedImage | null
}

/** The properties of an image that clients need to show it. */
export type AttachedImage = { contentType: string; width: number; height: number; isAnimated: boolean }

/** Returns the part of the URL after `/user_uploads/`. */
export const pathIdOf = ({ place, fileName }: Pick<Attachment, 'place' | 'fileName'>) => `${place}/${fileName}`

/** A link to a file in a message. */
export type Claim = { attachmentId: number; messageId: number; sentAt: number }

export const attachmentJson = z.strictObject({
  id: z.int(),
  name: z.string(),
  path_id: z.string().describe('The part of its URL after `/user_uploads/`.'),
  size: z.int().describe('In bytes.'),
  create_time: z.int().describe('UNIX time in milliseconds.'),
  messages: z
    .array(z.strictObject({ date_sent: z.int().describe('UNIX time in milliseconds.'), id: z.int() }))
    .describe('The messages that link to it and that its owner may read.'),
})

/** Rounds down to whole seconds and converts to milliseconds. */
const toMilliseconds = (seconds: number) => Math.floor(seconds) * 1000

export function toAttachmentJson(attachment: Attachment, claims: readonly Claim[]): z.infer<typeof attachmentJson> {
  const { id, name, size, createdAt } = attachment
  const messages = claims
    .filter((claim) => claim.attachmentId === id)
    .map(({ messageId, sentAt }) => ({ date_sent: toMilliseconds(sentAt), id: messageId }))
  return { id, name, path_id: pathIdOf(attachment), size, create_time: toMilliseconds(createdAt), messages }
}
