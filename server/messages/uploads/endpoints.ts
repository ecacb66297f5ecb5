import { deleteAttachment, getAttachments } from './endpoints/attachments.ts'
import { getTemporaryUrl } from './endpoints/get-temporary-url.ts'
import { uploadFile } from './endpoints/upload-file.ts'

export const uploadEndpoints = [getAttachments, deleteAttachment, getTemporaryUrl, uploadFile]
