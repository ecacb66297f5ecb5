import { viewerOf } from '#groups/viewer.ts'
import { authMethodOf } from '#http/authentication.ts'
import { type CallerServices, requireActor, withApiRefusals } from '#http/caller.ts'
import type { Services } from '#http/endpoint.ts'
import type { HttpRequest, HttpResponse, ResponseHeaders } from '#http/http-types.ts'
import { renderPage } from '#http/page-html.ts'
import { decodeFormText } from '#http/params.ts'
import { networkOf } from '#http/rate-limits.ts'
import { notLoggedIn } from '#http/refusals.ts'
import { fileResponse } from '#http/responses.ts'
import { CONTENT_POLICIES } from '#http/security-headers.ts'
import { FilesUnavailable, rateLimitHit } from '#lib/errors.ts'
import { type Requester, SERVER_REQUESTER } from '#lib/fair-queue.ts'
import { html } from '#lib/html.ts'
import { canResize, type ThumbnailFormat, thumbnailFormats, toThumbnail } from '#lib/images.ts'
import { hashSecret, type Random } from '#lib/secrets.ts'
import { t } from '#lib/text.ts'
import { linkedPathId } from '#markdown/previews.ts'
import { findSignedIn } from '#people/authentication.ts'
import { requesterOf } from '#people/users.ts'
import { findAddressedRealm, findRealm } from '#realms/queries.ts'
import { type FileStore, THUMBNAILS, UPLOADS } from '#storage/files.ts'
import { type Attachment, findAttachments } from './attachments.ts'
import { findPublicFile, noSuchFile, requireReadableFile, requireTemporaryPathId } from './uploads/file-access.ts'

// The names and addresses of uploaded files, and the pages that serve them. A file is served only to users who may
// read a message that claims it, or its owner. Its type follows from its name, never from the client, and a browser
// never runs its content.

/** The maximum length of a name in a URL, in characters and in bytes. File systems limit the bytes. */
const [MAX_LENGTH, MAX_BYTES] = [100, 240]

/** The number of characters that are kept at the end of a long name. */
const TAIL_LENGTH = 20

/**
 * Returns a name that is safe in URLs and Markdown: letters and digits of any script, `.`, `-` and `_`. Whitespace becomes
 * a hyphen. A long name loses characters in the middle, so that its extension stays.
 */
export function toUrlName(fileName: string): string {
  const kept = fileName
    .normalize('NFKC')
    .replace(/[^\p{L}\p{M}\p{N}_\s.-]/gu, '')
    .trim()
    .replace(/[-\s]+/g, '-')
  const short = shorten(Array.from(kept), MAX_LENGTH)
  return /^\.*$/.test(short) ? 'uploaded-file' : short
}

function shorten(letters: readonly string[], maxLength: number): string {
  if (letters.length <= TAIL_LENGTH) return letters.join('')
  const tail = letters.slice(-TAIL_LENGTH).join('')
  let head = letters.slice(0, Math.min(letters.length, maxLength) - TAIL_LENGTH)
  while (Buffer.byteLength(head.join('') + tail) > MAX_BYTES) head = head.slice(0, -1)
  return head.join('') + tail
}

/**
 * Returns the client's file name for display. Percent-encoding is decoded, and folders and control characters are
 * removed.
 */
export function toDisplayName(fileName: string): string {
  const name = decodePercent(fileName)
    .replaceAll('\\', '/')
    .replace(/\p{Cc}/gu, '')
  return (
    name
      .slice(name.lastIndexOf('/') + 1)
      .slice(0, 255)
      .toWellFormed() || 'uploaded-file'
  )
}

export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * The types that browsers display without running code, by file extension. Browsers download all other files instead of
 * displaying them.
 */
const INLINE_TYPES: Record<string, string> = {
  aac: 'audio/aac',
  apng: 'image/apng',
  avif: 'image/avif',
  flac: 'audio/flac',
  gif: 'image/gif',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  m4a: 'audio/mp4',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  pdf: 'application/pdf',
  png: 'image/png',
  txt: 'text/plain; charset=utf-8',
  wav: 'audio/wav',
  weba: 'audio/webm',
  webm: 'video/webm',
  webp: 'image/webp',
}

/** Returns the content type for the file extension. The type that the client declared is ignored. */
export function contentTypeFor(fileName: string): { contentType: string; isInline: boolean } {
  const [, extension = ''] = /\.([^.]+)$/.exec(fileName.toLowerCase()) ?? []
  const contentType = Object.hasOwn(INLINE_TYPES, extension) ? INLINE_TYPES[extension] : undefined
  return { contentType: contentType ?? 'application/octet-stream', isInline: contentType !== undefined }
}

/** Returns a new storage path for a file of the organization. The path contains a secret of 144 random bits. */
export function newPlace(realmId: number, random: Random): string {
  const [shard = 0] = random.bytes(1)
  return `${realmId}/${shard.toString(16).padStart(2, '0')}/${random.bytes(18).toString('base64url')}`
}

export const storedName = ({ place }: { place: string }) => `${UPLOADS}/${place}`

const thumbnailName = ({ place }: { place: string }, format: { name: string }) =>
  `${THUMBNAILS}/${place}.${format.name}`

/** Deletes the stored bytes of a file and its thumbnails. */
export async function deleteStoredFile(
  files: FileStore,
  attachment: Pick<Attachment, 'place' | 'image'>,
): Promise<void> {
  await files.delete(storedName(attachment))
  if (attachment.image === null) return
  for (const format of thumbnailFormats) await files.delete(thumbnailName(attachment, format))
}

/** Returns the `place` of the attachment that the stored file belongs to. */
export function storedPlaceOf(name: string): string {
  const [, place = ''] = /^[^/]+\/([^.]*)/.exec(name) ?? []
  return place
}

/** Returns the thumbnail format with this name if the file supports it. */
function findFormat({ image }: Attachment, name: string): ThumbnailFormat | null {
  const format = thumbnailFormats.find((format) => format.name === name)
  if (format === undefined || image === null || (format.animated && !image.isAnimated)) return null
  return format
}

/** Thumbnails that are being created, by name. Concurrent requests wait for the same one. */
const pendingThumbnails = new Map<string, Promise<boolean>>()

/** Creates the thumbnail if it does not exist. Returns false if it cannot be created. */
async function ensureThumbnail(
  files: FileStore,
  attachment: Attachment,
  format: ThumbnailFormat,
  requester: Requester,
): Promise<boolean> {
  const name = thumbnailName(attachment, format)
  if ((await files.findSize(name)) !== null) return true
  let pending = pendingThumbnails.get(name)
  if (pending === undefined) {
    pending = createThumbnail(files, attachment, format, requester).finally(() => pendingThumbnails.delete(name))
    pendingThumbnails.set(name, pending)
  }
  return pending
}

async function createThumbnail(
  files: FileStore,
  attachment: Attachment,
  format: ThumbnailFormat,
  requester: Requester,
): Promise<boolean> {
  const bytes = await files.withSource(storedName(attachment), (source) => toThumbnail(source, format, requester))
  if (bytes === null) return false
  await files.save(thumbnailName(attachment, format), bytes)
  return true
}

type PageServices = CallerServices & Pick<Services, 'db' | 'files' | 'secret'>

const TEMPORARY = /^\/user_uploads\/temporary\/([^/]+)\/([^/]+)$/
const DOWNLOAD = /^\/user_uploads\/download\//
const THUMBNAIL = /^\/user_uploads\/thumbnail\/(.+)\/([^/]+)$/

/**
 * The limit for reading a file without an account: a period in seconds, and the maximum number of reads in this period.
 */
const SPECTATOR_RULES = [[86_400, 1000]] as const

/** The number of files that one network can read without an account, in a minute. A page can have hundreds of pictures. */
const NETWORK_RULES = [[60, 1000]] as const

/** Serves uploaded files to users who may read them. Returns null for other paths. */
export function filePages(services: PageServices): (request: HttpRequest) => Promise<HttpResponse> | null {
  return (request) => {
    const { method, path } = request
    if ((method !== 'GET' && method !== 'HEAD') || !path.startsWith('/user_uploads/')) return null
    const [, token, fileName] = TEMPORARY.exec(path) ?? []
    const [, original, formatName] = THUMBNAIL.exec(path) ?? []
    const answer = withApiRefusals(services, request, async (headers) => {
      if (token !== undefined && fileName !== undefined)
        return serve(services, request, await requireTemporaryFile(services, token, fileName), { mayRedirect: true })
      if (original !== undefined && formatName !== undefined) {
        const requested = await requireFile(services, request, headers, `/user_uploads/${original}`)
        return serveThumbnail(services, request, requested, formatName)
      }
      const { attachment, requester } = await requireFile(services, request, headers, path)
      const mayRedirect = requester !== SERVER_REQUESTER
      return serve(services, request, attachment, { isDownload: DOWNLOAD.test(path), mayRedirect })
    })
    return request.headers.accept?.includes('text/html') ? withPages(answer) : answer
  }
}

/** Returns the answer for people who open a file in a window of their browser: failures are pages. */
async function withPages(answer: Promise<HttpResponse>): Promise<HttpResponse> {
  try {
    const response = await answer
    if (response.status !== noSuchFile.status) return response
    return renderPage({
      status: response.status,
      heading: t('File not found'),
      content: html`<p>${t('It was deleted, or you may not read the messages with this file.')}</p>\n`,
    })
  } catch (error) {
    if (!(error instanceof FilesUnavailable)) throw error
    return renderPage({
      status: 503,
      heading: t('The file cannot be opened now'),
      content: html`<p>${t('The server cannot reach its file storage. Try again in a minute.')}</p>\n`,
    })
  }
}

/** A file that the caller may read, and the requester under which the server queues image processing. */
type RequestedFile = { attachment: Attachment; requester: Requester }

/** Seconds for which a signed URL stays the same, so that browsers can cache the file, and after which it expires. */
const URL_PERIOD = 300
const URL_VALIDITY = 900

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
    const attachment = await findPublicFile(db, await findAddressedRealm(db, request), pathId)
    // Visitors without an account must not learn which files exist.
    if (attachment === null) throw notLoggedIn()
    limitSpectators(services, request, attachment)
    return { attachment, requester: SERVER_REQUESTER }
  }
  const { actor } = await requireActor(services, request, headers, { authMethod })
  return {
    attachment: await requireReadableFile(viewerOf(db, actor, clock.now()), pathId),
    requester: requesterOf(actor, false),
  }
}

function limitSpectators(
  { settings, rateLimiter, clock }: PageServices,
  { remoteAddress }: HttpRequest,
  { id }: Attachment,
): void {
  if (!settings.RATE_LIMITING) return
  const limits = [
    [`spectators of file ${id}`, SPECTATOR_RULES],
    [`files for spectators from ${networkOf(remoteAddress)}`, NETWORK_RULES],
  ] as const
  for (const [key, rules] of limits) {
    const verdict = rateLimiter.take(key, rules, clock.now())
    if (!verdict.allowed) throw rateLimitHit({ retryAfter: verdict.retryAfter })
  }
}

async function requireTemporaryFile(
  { db, secret, clock }: PageServices,
  token: string,
  fileName: string,
): Promise<Attachment> {
  const pathId = requireTemporaryPathId(secret, token, decodeFormText(fileName.replaceAll('+', '%2B')), clock.now())
  const realmId = Number(pathId.slice(0, pathId.indexOf('/')))
  const realm = await findRealm(db, realmId)
  const [attachment] = await findAttachments(db, realmId, [pathId])
  if (attachment === undefined || realm === null || realm.deactivatedAt !== null) throw noSuchFile()
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
  // Pages for readers without an account show only files of this server.
  const mayRedirect = requester !== SERVER_REQUESTER
  if (!hasThumbnail) return serve(services, request, attachment, { mayRedirect })
  const name = thumbnailName(attachment, format)
  const thumbnailHeaders = { ...headersFor('image/webp'), 'content-disposition': 'inline' }
  return serveStored(services, request, name, { headers: thumbnailHeaders, mayRedirect })
}

async function serve(
  services: PageServices,
  request: HttpRequest,
  attachment: Attachment,
  { isDownload = false, mayRedirect }: { isDownload?: boolean; mayRedirect: boolean },
): Promise<HttpResponse> {
  const { contentType, isInline } = contentTypeFor(attachment.fileName)
  const headers = {
    ...headersFor(contentType),
    'content-disposition': disposition(isInline && !isDownload, attachment.name),
  }
  return serveStored(services, request, storedName(attachment), { headers, mayRedirect })
}

async function serveStored(
  services: PageServices,
  request: HttpRequest,
  name: string,
  { headers, mayRedirect }: { headers: Record<string, string>; mayRedirect: boolean },
): Promise<HttpResponse> {
  const { files } = services
  const size = await files.findSize(name)
  if (size === null) throw noSuchFile()
  const redirect = mayRedirect ? await redirectToStore(services, request, name, headers) : null
  if (redirect !== null) return redirect
  const etag = `"${hashSecret(name).slice(0, 32)}"`
  return fileResponse(request, { size, etag, headers, open: (range) => files.stream(name, range) })
}

/**
 * Returns a redirect to the file in its store, where the response gets the type, the name and the caching of `headers`.
 * Returns null if the server passes files on.
 */
export async function redirectToStore(
  { files, settings, clock }: Pick<Services, 'files' | 'settings' | 'clock'>,
  { method }: HttpRequest,
  name: string,
  headers: Readonly<Record<string, string>>,
): Promise<HttpResponse | null> {
  if (!settings.FILES_REDIRECT || files.signUrl === undefined || method !== 'GET') return null
  const location = await files.signUrl(name, {
    contentType: headers['content-type'] ?? '',
    disposition: headers['content-disposition'] ?? '',
    caching: headers['cache-control']?.includes('no-store') ? 'no-store' : `private, max-age=${URL_PERIOD}`,
    signedAt: Math.floor(clock.now() / URL_PERIOD) * URL_PERIOD,
    validSeconds: URL_VALIDITY,
  })
  return {
    status: 302,
    headers: { location, 'cache-control': 'private, no-cache', 'referrer-policy': 'no-referrer' },
    body: '',
  }
}

function headersFor(contentType: string): Record<string, string> {
  return {
    'content-type': contentType,
    'content-security-policy': CONTENT_POLICIES[contentType === 'application/pdf' ? 'uploadedPdf' : 'upload'],
    // The address of a file may contain a key, and a PDF may have links.
    'referrer-policy': 'no-referrer',
    // Caches must revalidate before each use, because the permission to read the file may change.
    'cache-control': 'private, no-cache',
  }
}

/**
 * Returns the `Content-Disposition` header, which has the name in ASCII and in UTF-8 (RFC 6266). A long name loses
 * characters in the middle: file systems allow no more, and proxies refuse redirects with long addresses.
 */
function disposition(isShown: boolean, fullName: string): string {
  const name = shorten(Array.from(fullName), Infinity)
  const ascii = name.replace(/[^ -~]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${isShown ? 'inline' : 'attachment'}; filename="${ascii}"; filename*=UTF-8''${encoded}`
}
