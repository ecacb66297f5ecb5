import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../platform/runtime/project-root.ts'
import { hashSecret } from '../../platform/security/secrets.ts'
import type { HttpRequest, HttpResponse } from '../wire/http-types.ts'

/** The path and type of each asset. The pages share the colors of the web client. */
const SOURCES = {
  'tokens.css': ['web/ui/tokens.css', 'text/css; charset=utf-8'],
  'pages.css': ['server/http/pages/assets/pages.css', 'text/css; charset=utf-8'],
  'theme.js': ['server/http/pages/assets/theme.js', 'text/javascript; charset=utf-8'],
  'pages.js': ['server/http/pages/assets/pages.js', 'text/javascript; charset=utf-8'],
} as const

type AssetName = keyof typeof SOURCES

type Asset = { url: string; answer: HttpResponse }

const assets = new Map((Object.keys(SOURCES) as AssetName[]).map((name) => [name, readAsset(name)]))
const answers = new Map([...assets.values()].map(({ url, answer }) => [url, answer]))

function readAsset(name: AssetName): Asset {
  const [path, type] = SOURCES[name]
  const bytes = readFileSync(join(projectRoot, path))
  const headers = {
    'content-type': type,
    'cache-control': 'public, max-age=31536000, immutable',
  }
  const url = `/static/pages/${hashSecret(bytes.toString('latin1')).slice(0, 16)}-${name}`
  return { url, answer: { status: 200, headers, body: bytes } }
}

/** Returns the address of an asset, which changes with its content. */
export function assetUrl(name: AssetName): string {
  return (assets.get(name) as Asset).url
}

/** Serves the addresses of `assetUrl`; returns null for all others. */
export function assetPages({ method, path }: Pick<HttpRequest, 'method' | 'path'>): HttpResponse | null {
  return method === 'GET' || method === 'HEAD' ? (answers.get(path) ?? null) : null
}
