import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { restOfPath } from '#http/router.ts'
import { pathIdOf } from '../../attachments/attachment.ts'
import { noSuchFile, requireReadableFile } from '../access.ts'
import { temporaryUrl } from '../temporary-url.ts'

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
