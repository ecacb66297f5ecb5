import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint, restOfPath } from '#http/endpoint.ts'
import { attachmentJson, findOwnAttachments, findSpaceUsed, pathIdOf, toAttachmentJson } from '../attachments.ts'
import { deleteStoredFile } from '../files.ts'
import { invalidAttachment, removeUpload } from '../upload-file.ts'
import { findReadableClaims } from '../uploads/claims.ts'
import { noSuchFile, requireReadableFile, temporaryUrl } from '../uploads/file-access.ts'

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
    if (attachment !== null) await deleteStoredFile(files, attachment)
    return {}
  },
})

export const getTemporaryUrl = endpoint({
  route: 'GET /user_uploads/{realm_id_str}/{filename}',
  summary: 'Get a temporary URL of a file',
  description: 'The URL opens the file for a minute without credentials.',
  who: 'user',
  path: { filename: restOfPath(z.string().describe("The rest of the file's path; it contains slashes.")) },
  returns: { url: z.string().describe('Relative to the URL of the organization.') },
  refuses: [noSuchFile],
  async handle({ db, actor, secret, clock }, { realm_id_str, filename }) {
    const file = await requireReadableFile(viewerOf(db, actor, clock.now()), `${realm_id_str}/${filename}`)
    return { url: temporaryUrl(secret, pathIdOf(file), clock.now()) }
  },
})
