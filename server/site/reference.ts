import { z } from 'zod'
import { allEvents } from '#events/catalogue.ts'
import type { Endpoint, Services } from '#http/endpoint.ts'
import type { HttpRequest, HttpResponse, ResponseHeaders } from '#http/http-types.ts'
import { callers, isRequired, type OtherOperations, openApiDocument, toSchema } from '#http/openapi.ts'
import { assetUrl, PAGE_HEADERS } from '#http/page-html.ts'
import type { Visitor } from '#http/pages.ts'
import { isText } from '#http/params.ts'
import { commonRefusals } from '#http/refusals.ts'
import { acceptsGzip, jsonTextResponse } from '#http/responses.ts'
import { type Html, html } from '#lib/html.ts'
import { findVisitor } from './page-dispatch.ts'

// The API reference, as a page and as an OpenAPI document. Both are derived from the endpoints and events, so they
// cannot differ from them. The page works without scripts; with them, its explorer sends calls as the user who is logged
// in (http/pages/assets/explorer.js).

/** Renders the API reference. For a visitor, it has what the explorer needs to send calls. */
export function referencePage(endpoints: readonly Endpoint[], visitor: Visitor | null = null): string {
  return headOf(visitor) + bodyOf(endpoints)
}

const headOf = (visitor: Visitor | null): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Parley REST API</title>
<script src="${assetUrl('theme.js')}"></script>
<link rel="stylesheet" href="${assetUrl('tokens.css')}">
<link rel="stylesheet" href="${assetUrl('font.css')}">
<link rel="stylesheet" href="${assetUrl('reference.css')}">
<script src="${assetUrl('explorer.js')}" defer></script>
${
  visitor !== null &&
  html`<meta name="csrf-token" content="${visitor.csrfToken}">
<meta name="user-email" content="${visitor.actor.deliveryEmail}">
`
}</head>
`.html

function bodyOf(endpoints: readonly Endpoint[]): string {
  const byTag = Map.groupBy(endpoints, ({ tag }) => tag)
  return html`<body>
<main>
<h1>Parley REST API</h1>
<p>All paths begin with <code>/api/v1</code>. Send parameters as a JSON object (<code>application/vnd.parley+json</code>), as a form or in the query. In forms and queries, all values except text are JSON.
Authenticate with HTTP Basic, with your email address and an API key.
OpenAPI document: <a href="/api/v1/openapi.json">openapi.json</a>.</p>
<nav aria-label="Endpoints and events">${Array.from(
    byTag,
    ([tag, tagged]) => html`<h2>${tag}</h2>
<ul>${tagged.map((endpoint) => html`<li><a href="#${anchor(endpoint)}">${endpoint.summary}</a></li>`)}</ul>
`,
  )}<h2><a href="#events">Events</a></h2>
<ul>${allEvents.map(({ kind }) => html`<li><a href="#${eventAnchor(kind)}"><code>${kind}</code></a></li>`)}</ul></nav>
${endpoints.map(toSection)}
${toEventsSection()}
<section><h2 id="refusals">Errors of all endpoints</h2>${toRefusalTable(commonRefusals)}</section>
</main>
</body>
</html>
`.html
}

const anchor = ({ method, path }: Endpoint) => `${method.toLowerCase()}${path.replace(/[^a-z]+/gi, '-')}`

function toSection(endpoint: Endpoint): Html {
  const params = Object.entries({ ...pathTypesOf(endpoint), ...endpoint.params })
  const fields = Object.entries(endpoint.returns)
  const { method, path, who, maxUploadBytes, readsFiles } = endpoint
  const takesFiles = maxUploadBytes !== null || readsFiles
  return html`<section data-call="${method} ${path}" data-who="${who}"${isDangerous(endpoint) && html` data-danger`}${takesFiles && html` data-files`}>
<h2 id="${anchor(endpoint)}">${endpoint.summary}</h2>
<p><code>${endpoint.method} /api/v1${endpoint.path}</code></p>
<p>${toProse(endpoint.description)} ${callers[endpoint.who]}</p>
${params.length > 0 && html`<table><caption>Parameters</caption><tbody>${params.map(([name, type]) => toParameterRow(endpoint, name, type))}</tbody></table>`}
${fields.length > 0 && html`<table><caption>Response</caption><tbody>${fields.map(toFieldRow)}</tbody></table>`}
${endpoint.refuses.length > 0 && toRefusalTable(endpoint.refuses)}
</section>
`
}

/** Returns the types of the parameters in the path, which are whole numbers unless the endpoint declares others. */
function pathTypesOf({ path, pathTypes }: Endpoint): Record<string, z.ZodType> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  return Object.fromEntries(names.map((name) => [name, pathTypes[name] ?? z.int()]))
}

/** Returns true for calls that delete, deactivate or replace something. The explorer asks before it sends them. */
const isDangerous = ({ method, path }: Endpoint) => method === 'DELETE' || /deactivate|delete|regenerate/.test(path)

const eventAnchor = (kind: string) => `event-${kind.replace('/', '-')}`

function toEventsSection(): Html {
  return html`<section>
<h2 id="events">Events</h2>
<p>The events that <code>GET /events</code> returns. Each has an <code>id</code>, which increases, and a <code>type</code>; types with several kinds have an <code>op</code> as well. Clients should ignore types and fields that they do not know.</p>
${allEvents.map(toEvent)}
</section>`
}

function toEvent({ kind, type, op, declaration }: (typeof allEvents)[number]): Html {
  const { description, audience, clients, example } = declaration
  const event = { id: 12, type, ...(op !== undefined && { op }), ...example }
  const fields = Object.entries(declaration.fields())
  return html`<h3 id="${eventAnchor(kind)}"><code>${kind}</code></h3>
<p>${toProse(description)}${clients !== undefined && html` ${toProse(clients)}`}</p>
<p>Sent to: ${toProse(audience)}</p>
${fields.length > 0 && html`<table><caption>Fields</caption><tbody>${fields.map(toFieldRows)}</tbody></table>`}
<pre tabindex="0"><code>${JSON.stringify(event, null, 2)}</code></pre>
`
}

/** Renders text in which backticks enclose code. */
function toProse(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))
}

/** Renders a parameter, with what the explorer needs for its field. */
function toParameterRow({ path }: Endpoint, name: string, type: z.ZodType): Html {
  const schema: Schema = toSchema(type)
  const required = isRequired(type)
  const place = path.includes(`{${name}}`) ? 'path' : 'params'
  const kind = isText(type) ? 'text' : schema.type === 'integer' || schema.type === 'number' ? 'number' : 'json'
  const options = schema.type === 'boolean' ? [true, false] : kind === 'text' ? schema.enum : undefined
  const data = html` data-name="${name}" data-place="${place}" data-kind="${kind}"${required && html` data-required`}${
    options !== undefined && html` data-options="${JSON.stringify(options)}"`
  }`
  return toRow(name, required && ' (required)', schema, data)
}

function toFieldRow([name, type]: [string, z.ZodType]): Html {
  return toRow(name, type.safeParse(undefined).success && ' (optional)', toSchema(type, 'output'))
}

/** Like `toFieldRow`, with a row for each field of objects and of lists of objects. */
function toFieldRows([name, type]: [string, z.ZodType]): Html[] {
  return nestedRows(name, type.safeParse(undefined).success, toSchema(type, 'output'))
}

function nestedRows(name: string, isOptional: boolean, schema: Schema): Html[] {
  const [inner, path] = schema.type === 'array' ? [(schema.items ?? {}) as Schema, `${name}[]`] : [schema, name]
  const { properties = {}, required = [] } = inner
  return [
    toRow(name, isOptional && ' (optional)', schema),
    ...Object.entries(properties).flatMap(([field, type]) =>
      nestedRows(`${path}.${field}`, !required.includes(field), type),
    ),
  ]
}

function toRow(name: string, note: string | false, schema: Schema, data?: Html): Html {
  const { default: usual, description = '' } = schema
  return html`<tr${data}>
<th scope="row"><code>${name.split(/(?<=\.)/).map((part, at) => html`${at > 0 && html`<wbr>`}${part}`)}</code>${note}</th>
<td><code>${typeName(schema)}</code></td>
<td>${toProse(description)}${usual !== undefined && html` Default: <code>${JSON.stringify(usual)}</code>.`}</td>
</tr>`
}

type Schema = {
  type?: unknown
  anyOf?: unknown
  items?: unknown
  properties?: Record<string, Schema>
  required?: readonly string[]
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

/**
 * Serves `GET /api`, for each visitor with what the explorer needs, and `GET /api/v1/openapi.json`; returns null for
 * other paths.
 */
export function buildReference(
  endpoints: readonly Endpoint[],
  services: Services,
  otherOperations: OtherOperations,
): (request: HttpRequest) => HttpResponse | Promise<HttpResponse> | null {
  let body: string | undefined
  let document: string | undefined

  async function answerPage(request: HttpRequest): Promise<HttpResponse> {
    const headers: ResponseHeaders = {}
    const visitor = await findVisitor(services, request, headers)
    body ??= bodyOf(endpoints)
    // The page of a visitor has a secret.
    const mayCompress = visitor === null && acceptsGzip(request)
    return { status: 200, headers: { ...PAGE_HEADERS, ...headers }, body: headOf(visitor) + body, mayCompress }
  }

  return (request) => {
    const { method, path } = request
    if (method !== 'GET' && method !== 'HEAD') return null
    if (path === '/api') return answerPage(request)
    if (path !== '/api/v1/openapi.json') return null
    document ??= `${JSON.stringify(openApiDocument(endpoints, services.settings.EXTERNAL_URL, otherOperations))}\n`
    return jsonTextResponse(document, { 'access-control-allow-origin': '*' }, acceptsGzip(request))
  }
}
