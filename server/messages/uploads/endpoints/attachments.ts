import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { findReadableClaims } from '../../attachments/access.ts'
import { attachmentJson, toAttachmentJson } from '../../attachments/attachment.ts'
import { findOwnAttachments, findSpaceUsed } from '../../attachments/queries.ts'
import { invalidAttachment, removeUpload } from '../change-uploads.ts'
import { deleteStoredFile } from '../stored-file.ts'

export const getAttachments = endpoint({
  route: 'GET /attachments',
  summary: 'List your uploaded files',
  description: 'The newest file comes first.',
  who: 'user',
  returns: {
    attachments: z.array(attachmentJson),
    upload_space_used: z.int().describe('The total size of all files of the organization, in bytes.'),
  },
  async handle({ db, actor, clock }) {
    const own = await findOwnAttachments(db, actor.id)
    const ids = own.map(({ id }) => id)
    const claims = await findReadableClaims(viewerOf(db, actor, clock.now()), ids)
    const byFile = Map.groupBy(claims, ({ attachmentId }) => attachmentId)
    return {
      attachments: own.map((attachment) => toAttachmentJson(attachment, byFile.get(attachment.id) ?? [])),
      upload_space_used: await findSpaceUsed(db, actor.realmId),
    }
  },
})

export const deleteAttachment = endpoint({
  route: 'DELETE /attachments/{attachment_id}',
  summary: 'Delete an uploaded file',
  description: 'Messages that link to it do not change.',
  who: 'user',
  refuses: [invalidAttachment],
  async handle({ transaction, actor, files }, { attachment_id }) {
    const attachment = await transaction((tx) => removeUpload(tx, actor, attachment_id))
    await deleteStoredFile(files, attachment)
    return {}
  },
})
