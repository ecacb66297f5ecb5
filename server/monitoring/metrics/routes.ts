import { z } from 'zod'
import { pathsUnder } from '#http/authentication.ts'
import { buildRouter, type Endpoint } from '#http/endpoint.ts'

/** A path with names in braces, such as `/api/v1/messages/{message_id}`, and the types of these names. */
type Template = { readonly path: string; readonly pathTypes: Endpoint['pathTypes'] }

/** The first parts of paths under which files and other things with many names are. */
const FOLDERS = 'static assets user_uploads user_avatars avatar external_content scim help integrations'.split(' ')

const OTHER_METHOD = 'OTHER'
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Returns the method as a label; requests may have any. */
export const methodLabel = (method: string): string => (METHODS.has(method) ? method : OTHER_METHOD)

/** The label of all paths without a template, such as those of the web client's views and mistyped ones. */
export const OTHER_ROUTE = 'other'

/**
 * Returns a function that returns the template of a path. There are as many templates as declared routes and a few more,
 * whatever paths are requested.
 */
export function routeLabels(
  endpoints: readonly Endpoint[],
  pages: readonly { readonly path: string }[],
): (path: string) => string {
  const templates: Template[] = [
    ...endpoints.flatMap(({ path, pathTypes }) => pathsUnder(path).map((full) => ({ path: full, pathTypes }))),
    ...pages.map(({ path }) => ({ path, pathTypes: typesOfPage(path) })),
    ...['/', '/health', '/status', '/metrics'].map((path) => ({ path, pathTypes: {} })),
  ]
  const match = buildRouter<string>(
    templates.map(({ path }) => ({ path, method: 'GET', handler: path })),
    new Map(templates.map(({ path, pathTypes }) => [`GET ${path}`, pathTypes])),
  )
  return (path) => match(path)?.methods.get('GET') ?? folderOf(path)
}

function folderOf(path: string): string {
  const first = path.slice(1).split('/', 1)[0] ?? ''
  return FOLDERS.includes(first) ? `/${first}/*` : OTHER_ROUTE
}

const typesOfPage = (path: string): Endpoint['pathTypes'] =>
  Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, z.string()]))
