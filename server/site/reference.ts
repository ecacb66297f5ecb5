import { createHash } from 'node:crypto'
import type { Settings } from '#config.ts'
import { jsonTextResponse } from '#http/encode-json.ts'
import type { Endpoint } from '#http/endpoint.ts'
import { type OtherOperations, openApiDocument } from '#http/reference/openapi.ts'
import { acceptsGzip } from '#http/wire/accepts-encoding.ts'
import type { HttpRequest, HttpResponse } from '#http/wire/http-types.ts'
import { REFERENCE_STYLE, referencePage } from './reference-page.ts'

const styleHash = createHash('sha256').update(REFERENCE_STYLE).digest('base64')

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; frame-ancestors 'none'`,
}

/** Serves `GET /api` and `GET /api/v1/openapi.json`, each rendered at first use; returns null for other paths. */
export function buildReference(
  endpoints: readonly Endpoint[],
  settings: Settings,
  otherOperations: OtherOperations,
): (request: HttpRequest) => HttpResponse | null {
  let page: HttpResponse | undefined
  let document: string | undefined
  return (request) => {
    const { method, path } = request
    if (method !== 'GET' && method !== 'HEAD') return null
    if (path === '/api') {
      page ??= { status: 200, headers: pageHeaders, body: referencePage(endpoints) }
      return page
    }
    if (path !== '/api/v1/openapi.json') return null
    document ??= `${JSON.stringify(openApiDocument(endpoints, settings.EXTERNAL_URL, otherOperations))}\n`
    return jsonTextResponse(document, { 'access-control-allow-origin': '*' }, acceptsGzip(request))
  }
}
