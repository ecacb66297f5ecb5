import { viewerOf } from '#groups/viewer.ts'
import { authMethodOf, type CallerServices, findAddressedRealm, requireActor } from '#http/auth/caller.ts'
import { findSignedIn } from '#http/auth/session-actor.ts'
import { decodeFormText } from '#http/body/form.ts'
import type { Services } from '#http/endpoint.ts'
import { notLoggedIn } from '#http/refusals.ts'
import { fileResponse } from '#http/wire/file-response.ts'
import type { HttpRequest, HttpResponse, ResponseHeaders } from '#http/wire/http-types.ts'
import { withApiRefusals } from '#http/with-api-refusals.ts'
import { rateLimitHit } from '#lib/errors/rate-limit-hit.ts'
import { canResize } from '#lib/images/sharp.ts'
import { type Requester, SERVER_REQUESTER } from '#lib/jobs/fair-queue.ts'
import { hashSecret } from '#lib/security/secrets.ts'
import { linkedPathId } from '#markdown/links/upload-links.ts'
import { requesterOf } from '#people/users/user.ts'
import type { Attachment } from '../../attachments/attachment.ts'
import { findAttachments } from '../../attachments/queries.ts'
import { findPublicFile, noSuchFile, requireReadableFile } from '../access.ts'
import { contentTypeFor } from '../content-type.ts'
import { storedName, thumbnailName } from '../stored-file.ts'
import { requireTemporaryPathId } from '../temporary-url.ts'
import { ensureThumbnail, findFormat } from '../thumbnails.ts'

type PageServices = CallerServices & Pick<Services, 'files' | 'secret'>

const TEMPORARY = /^\/user_uploads\/temporary\/([^/]+)\/([^/]+)$/
const DOWNLOAD = /^\/user_uploads\/download\//
const THUMBNAIL = /^\/user_uploads\/thumbnail\/(.+)\/([^/]+)$/

/**
 * The limit for reading a file without an account: a period in seconds, and the maximum number of reads in this period.
 */
const SPECTATOR_RULES = [[86_400, 1000]] as const

/** Serves uploaded files to users who may read them. Returns null for other paths. */
export function filePages(services: PageServices): (request: HttpRequest) => Promise<HttpResponse> | null {
  return (request) => {
    const { method, path } = request
    if ((method !== 'GET' && method !== 'HEAD') || !path.startsWith('/user_uploads/')) return null
    const [, token, fileName] = TEMPORARY.exec(path) ?? []
    const [, original, formatName] = THUMBNAIL.exec(path) ?? []
    return withApiRefusals(services, request, async (headers) => {
      if (token !== undefined && fileName !== undefined)
        return serve(services, request, await requireTemporaryFile(services, token, fileName))
      if (original !== undefined && formatName !== undefined) {
        const requested = await requireFile(services, request, headers, `/user_uploads/${original}`)
        return serveThumbnail(services, request, requested, formatName)
      }
      const { attachment } = await requireFile(services, request, headers, path)
      return serve(services, request, attachment, DOWNLOAD.test(path))
    })
  }
}

/** A file that the caller may read, and the requester under which the server queues image processing. */
type RequestedFile = { attachment: Attachment; requester: Requester }

async function requireFile(
  services: PageServices,
  request: HttpRequest,
  headers: ResponseHeaders,
  path: string,
): Promise<RequestedFile> {
  const { db, clock } = services
  const pathId = linkedPathId(path) ?? ''
  const authMethod = authMethodOf(request)
  if (authMethod === 'session' && (await findSignedIn(services, request)) === null) {
    const attachment = await findPublicFile(db, await findAddressedRealm(services, request), pathId)
    // Visitors without an account must not learn which files exist.
    if (attachment === null) throw notLoggedIn()
    limitSpectators(services, attachment)
    return { attachment, requester: SERVER_REQUESTER }
  }
  const { actor } = await requireActor(services, request, headers, { authMethod })
  return {
    attachment: await requireReadableFile(viewerOf(db, actor, clock.now()), pathId),
    requester: requesterOf(actor, false),
  }
}

function limitSpectators({ settings, rateLimiter, clock }: PageServices, { id }: Attachment): void {
  if (!settings.RATE_LIMITING) return
  const verdict = rateLimiter.take(`spectators of file ${id}`, SPECTATOR_RULES, clock.now())
  if (!verdict.allowed) throw rateLimitHit({ retryAfter: verdict.retryAfter })
}

async function requireTemporaryFile(
  { db, secret, clock }: PageServices,
  token: string,
  fileName: string,
): Promise<Attachment> {
  const pathId = requireTemporaryPathId(secret, token, decodeFormText(fileName.replaceAll('+', '%2B')), clock.now())
  const realmId = Number(pathId.slice(0, pathId.indexOf('/')))
  const [attachment] = await findAttachments(db, realmId, [pathId])
  if (attachment === undefined) throw noSuchFile()
  return attachment
}

/** Serves the thumbnail, or the original image if the thumbnail cannot be created. */
async function serveThumbnail(
  services: PageServices,
  request: HttpRequest,
  { attachment, requester }: RequestedFile,
  formatName: string,
): Promise<HttpResponse> {
  const { files, settings } = services
  const format = findFormat(attachment, formatName)
  if (format === null) throw noSuchFile()
  const hasThumbnail = canResize(settings) && (await ensureThumbnail(files, attachment, format, requester))
  if (!hasThumbnail) return serve(services, request, attachment)
  const name = thumbnailName(attachment, format)
  return serveStored(services, request, name, { ...headersFor('image/webp'), 'content-disposition': 'inline' })
}

async function serve(
  services: PageServices,
  request: HttpRequest,
  attachment: Attachment,
  isDownload = false,
): Promise<HttpResponse> {
  const { contentType, isInline } = contentTypeFor(attachment.fileName)
  return serveStored(services, request, storedName(attachment), {
    ...headersFor(contentType),
    'content-disposition': disposition(isInline && !isDownload, attachment.name),
  })
}

async function serveStored(
  { files }: PageServices,
  request: HttpRequest,
  name: string,
  headers: ResponseHeaders,
): Promise<HttpResponse> {
  const size = await files.findSize(name)
  if (size === null) throw noSuchFile()
  const etag = `"${hashSecret(name).slice(0, 32)}"`
  return fileResponse(request, { size, etag, headers, open: (range) => files.stream(name, range) })
}

function headersFor(contentType: string): Record<string, string> {
  // Browsers cannot show a PDF in a sandbox, and they run no code in it.
  const sandbox = contentType === 'application/pdf' ? '' : '; sandbox'
  return {
    'content-type': contentType,
    'content-security-policy': `default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'self'${sandbox}`,
    // Caches must revalidate before each use, because the permission to read the file may change.
    'cache-control': 'private, no-cache',
  }
}

/** Returns the `Content-Disposition` header, which has the name in ASCII and in UTF-8 (RFC 6266). */
function disposition(isShown: boolean, name: string): string {
  const ascii = name.replace(/[^ -~]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${isShown ? 'inline' : 'attachment'}; filename="${ascii}"; filename*=UTF-8''${encoded}`
}
