import { authMethodOf, type CallerServices, requireActor } from '#http/auth/caller.ts'
import type { Services } from '#http/endpoint.ts'
import { logActorEvent } from '#http/security-log.ts'
import { fileResponse } from '#http/wire/file-response.ts'
import type { HttpRequest, HttpResponse } from '#http/wire/http-types.ts'
import { withApiRefusals } from '#http/with-api-refusals.ts'
import { hashSecret } from '#lib/security/secrets.ts'
import { noSuchArchive, requireStoredExport } from '../access.ts'
import { ARCHIVE_PATH, archiveName, downloadName } from '../data-export.ts'

type PageServices = CallerServices & Pick<Services, 'files' | 'log'>

/** Serves the archives of exports to administrators of their organization. Returns null for other paths. */
export function archivePages(services: PageServices): (request: HttpRequest) => Promise<HttpResponse> | null {
  const { db, files, log, securityLines } = services
  return (request) => {
    const { method, path, remoteAddress } = request
    const [, realmId, id] = ARCHIVE_PATH.exec(path) ?? []
    if ((method !== 'GET' && method !== 'HEAD') || id === undefined) return null
    return withApiRefusals(services, request, async (headers) => {
      const { actor } = await requireActor(services, request, headers, { authMethod: authMethodOf(request) })
      const found = await requireStoredExport(db, actor, Number(id))
      const name = archiveName(found)
      const size = Number(realmId) === actor.realmId ? await files.findSize(name) : null
      if (size === null) throw noSuchArchive()
      if (method === 'GET')
        logActorEvent({ log, securityLines, remoteAddress, actor }, 'export_downloaded', { targetId: null })
      return fileResponse(request, {
        size,
        etag: `"${hashSecret(name).slice(0, 32)}"`,
        headers: {
          'content-type': 'application/gzip',
          'content-disposition': `attachment; filename="${downloadName(found)}"`,
          'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox",
          'cache-control': 'private, no-store',
        },
        open: (range) => files.stream(name, range),
      })
    })
  }
}
