import { REALM_ICON } from '../../organizations/realms/realm.ts'
import { type Html, html } from '../../platform/encoding/html.ts'
import type { HttpResponse } from '../wire/http-types.ts'
import { assetUrl } from './assets.ts'

/** What a page shows. */
export type PageContent = {
  /** 200, when omitted. */
  status?: number
  heading: string
  /** The name of the organization whose page it is; that of the product, when omitted. */
  organization?: string | undefined
  content?: Html
  /** What a form complains of: the title says it first. */
  hasErrors?: boolean
  headers?: Readonly<Record<string, string>>
}

/**
 * What every page is sent with. Nothing on it comes from elsewhere or stands in the page itself, no script may write HTML,
 * and nothing is kept, since addresses hold keys. Other sites learn no address; our own forms must tell theirs, or nobody
 * could know that they are ours.
 */
const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'private, no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; " +
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
}

const PRODUCT = 'Parley'

/** A page that needs no script: a narrow card under the organization's name. */
export function renderPage({
  status = 200,
  heading,
  organization,
  content,
  hasErrors,
  headers,
}: PageContent): HttpResponse {
  const owner = organization ?? PRODUCT
  const { html: body } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${hasErrors === true && 'Error: '}${heading} · ${owner}</title>
<link rel="icon" href="${REALM_ICON}">
<script src="${assetUrl('theme.js')}"></script>
<link rel="stylesheet" href="${assetUrl('tokens.css')}">
<link rel="stylesheet" href="${assetUrl('pages.css')}">
<script src="${assetUrl('pages.js')}" defer></script>
</head>
<body>
<header class="banner"><p>${owner}</p></header>
<main>
<h1>${heading}</h1>
${content}</main>
</body>
</html>
`
  return { status, headers: { ...PAGE_HEADERS, ...headers }, body }
}

/** Leads the browser to an address of ours, after a form too. */
export function redirect(location: string, headers: Readonly<Record<string, string>> = {}): HttpResponse {
  return {
    status: 302,
    headers: { 'cache-control': 'private, no-store', 'referrer-policy': 'same-origin', ...headers, location },
    body: '',
  }
}
