import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '#lib/runtime/project-root.ts'
import { hashSecret } from '#lib/security/secrets.ts'
import type { HttpRequest, HttpResponse } from '../wire/http-types.ts'

type Asset = { url: string; answer: HttpResponse }

const read = (path: string) => readFileSync(join(projectRoot, path))

/** The font of the web client, with Latin letters: the text of the pages is English. */
const font = toAsset(
  'inter.woff2',
  'font/woff2',
  read('node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'),
)
const FONT_FACE = `@font-face {
  font-display: swap;
  font-family: "Inter Variable";
  font-weight: 100 900;
  src: url("${font.url}") format("woff2");
}
`

const CSS = 'text/css; charset=utf-8'
const JAVASCRIPT = 'text/javascript; charset=utf-8'

/** The files that pages refer to. The pages share the colors and the font of the web client. */
const assets = {
  'tokens.css': toAsset('tokens.css', CSS, read('web/ui/tokens.css')),
  'font.css': toAsset('font.css', CSS, Buffer.from(FONT_FACE)),
  'pages.css': toAsset('pages.css', CSS, read('server/http/pages/assets/pages.css')),
  'theme.js': toAsset('theme.js', JAVASCRIPT, read('server/http/pages/assets/theme.js')),
  'pages.js': toAsset('pages.js', JAVASCRIPT, read('server/http/pages/assets/pages.js')),
}
const answers = new Map([font, ...Object.values(assets)].map(({ url, answer }) => [url, answer]))

function toAsset(name: string, type: string, body: Buffer): Asset {
  const headers = { 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable' }
  const url = `/static/pages/${hashSecret(body.toString('latin1')).slice(0, 16)}-${name}`
  return { url, answer: { status: 200, headers, body } }
}

/** Returns the address of an asset, which changes with its content. */
export function assetUrl(name: keyof typeof assets): string {
  return assets[name].url
}

/** Serves the addresses of `assetUrl`, and the font; returns null for all others. */
export function assetPages({ method, path }: Pick<HttpRequest, 'method' | 'path'>): HttpResponse | null {
  return method === 'GET' || method === 'HEAD' ? (answers.get(path) ?? null) : null
}
