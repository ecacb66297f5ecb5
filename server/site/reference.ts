import { createHash } from 'node:crypto'
import type { z } from 'zod'
import type { Settings } from '#config.ts'
import { allEvents } from '#events/catalogue.ts'
import type { Endpoint } from '#http/endpoint.ts'
import type { HttpRequest, HttpResponse } from '#http/http-types.ts'
import { callers, isRequired, type OtherOperations, openApiDocument, toSchema } from '#http/openapi.ts'
import { commonRefusals } from '#http/refusals.ts'
import { acceptsGzip, jsonTextResponse } from '#http/responses.ts'
import { CONTENT_POLICIES } from '#http/security-headers.ts'
import { type Html, html } from '#lib/html.ts'

// The API reference, as a page and as an OpenAPI document. Both are derived from the endpoints and events, so they
// cannot differ from them.

/** The style of the page. Its hash is in the content security policy of the page. */
const REFERENCE_STYLE = `
  :root { color-scheme: light dark; }
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; }
  code { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
  pre { overflow-x: auto; }
  section { border-top: 1px solid GrayText; padding-block: 1rem; }
  table { border-collapse: collapse; table-layout: fixed; width: 100%; }
  caption { font-weight: bold; padding-block: .75rem .25rem; text-align: start; }
  th { font-weight: normal; width: 34%; }
  td:nth-child(2) { width: 20%; }
  th, td { text-align: start; vertical-align: top; padding: .25rem .75rem .25rem 0; }
  nav ul { columns: 18rem; padding-inline-start: 1.25rem; }
`

/** Renders the API reference: one page without scripts. */
export function referencePage(endpoints: readonly Endpoint[]): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Parley REST API</title>
<style>${{ html: REFERENCE_STYLE }}</style>
</head>
<body>
<main>
<h1>Parley REST API</h1>
<p>All paths begin with <code>/api/v1</code>. Send parameters as a JSON object (<code>application/vnd.parley+json</code>), as a form or in the query. In forms and queries, all values except text are JSON.
Authenticate with HTTP Basic, with your email address and an API key.
OpenAPI document: <a href="/api/v1/openapi.json">openapi.json</a>.</p>
<nav aria-label="Endpoints"><ul>${endpoints.map(
    (endpoint) => html`<li><a href="#${anchor(endpoint)}">${endpoint.summary}</a></li>`,
  )}<li><a href="#events">Events</a></li></ul></nav>
${endpoints.map(toSection)}
${toEventsSection()}
<section><h2 id="refusals">Errors of all endpoints</h2>${toRefusalTable(commonRefusals)}</section>
</main>
</body>
</html>
`
  return page.html
}

const anchor = ({ method, path }: Endpoint) => `${method.toLowerCase()}${path.replace(/[^a-z]+/gi, '-')}`

function toSection(endpoint: Endpoint): Html {
  const params = Object.entries({ ...endpoint.pathTypes, ...endpoint.params })
  const fields = Object.entries(endpoint.returns)
  return html`<section>
<h2 id="${anchor(endpoint)}">${endpoint.summary}</h2>
<p><code>${endpoint.method} /api/v1${endpoint.path}</code></p>
<p>${toProse(endpoint.description)} ${callers[endpoint.who]}</p>
${params.length > 0 && html`<table><caption>Parameters</caption><tbody>${params.map(toParameterRow)}</tbody></table>`}
${fields.length > 0 && html`<table><caption>Response</caption><tbody>${fields.map(toFieldRow)}</tbody></table>`}
${endpoint.refuses.length > 0 && toRefusalTable(endpoint.refuses)}
</section>
`
}

function toEventsSection(): Html {
  return html`<section>
<h2 id="events">Events</h2>
<p>The events that <code>GET /events</code> returns. The document <a href="/api/v1/openapi.json">openapi.json</a> describes their fields.</p>
${allEvents.map(toEvent)}
</section>`
}

function toEvent({ kind, type, op, declaration }: (typeof allEvents)[number]): Html {
  const { description, audience, clients, example } = declaration
  const event = { id: 12, type, ...(op !== undefined && { op }), ...example }
  return html`<h3 id="event-${kind.replace('/', '-')}"><code>${kind}</code></h3>
<p>${toProse(description)}${clients !== undefined && html` ${toProse(clients)}`}</p>
<p>Sent to: ${toProse(audience)}</p>
<pre><code>${JSON.stringify(event, null, 2)}</code></pre>
`
}

/** Renders text in which backticks enclose code. */
function toProse(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))
}

function toParameterRow([name, type]: [string, z.ZodType]): Html {
  const schema: Schema = toSchema(type)
  return toRow(name, isRequired(type) && ' (required)', schema)
}

function toFieldRow([name, type]: [string, z.ZodType]): Html {
  return toRow(name, type.safeParse(undefined).success && ' (optional)', toSchema(type, 'output'))
}

function toRow(name: string, note: string | false, schema: Schema): Html {
  const { default: usual, description = '' } = schema
  return html`<tr>
<th scope="row"><code>${name}</code>${note}</th>
<td><code>${typeName(schema)}</code></td>
<td>${toProse(description)}${usual !== undefined && html` Default: <code>${JSON.stringify(usual)}</code>.`}</td>
</tr>`
}

type Schema = {
  type?: unknown
  anyOf?: unknown
  items?: unknown
  enum?: unknown
  const?: unknown
  default?: unknown
  description?: string
}

function typeName(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (Array.isArray(schema.anyOf)) return [...new Set((schema.anyOf as Schema[]).map(typeName))].join(' or ')
  if (schema.type === 'array') return `list of ${typeName((schema.items ?? {}) as Schema)}`
  return typeof schema.type === 'string' ? schema.type : 'any'
}

function toRefusalTable(refusals: Endpoint['refuses']): Html {
  return html`<table><caption>Errors</caption><tbody>${refusals.map(
    ({ status, code, text, field }) =>
      html`<tr><th scope="row"><code>${code}</code></th><td>${status}</td><td>${text}</td><td>${field !== null && !field.startsWith('{') && html`<code>${field}</code>`}</td></tr>`,
  )}</tbody></table>`
}

const styleHash = createHash('sha256').update(REFERENCE_STYLE).digest('base64')

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': CONTENT_POLICIES.referencePage(styleHash),
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
