import { type Html, html } from '#lib/encoding/html.ts'
import { t } from '#lib/text/t.ts'
import { ADDRESSED_REALM_ICON, type Realm } from '#realms/realm.ts'
import type { HttpResponse } from '../wire/http-types.ts'
import { assetUrl } from './assets.ts'

type PageContent = {
  /** 200 if omitted. */
  status?: number
  heading: string
  /** The organization whose name and icon the page shows; the product if omitted. */
  organization?: Pick<Realm, 'name' | 'pictures'> | undefined
  content?: Html
  /** True if a form has errors. The title of the page then starts with "Error". */
  hasErrors?: boolean
  headers?: Readonly<Record<string, string>>
}

/**
 * The headers of every page. A page loads nothing from other servers, has no inline scripts or styles, and no script
 * may write HTML. Pages are not cached, because their addresses may contain keys. Other sites get no referrer; this
 * server needs it to recognize its own forms.
 */
const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'private, no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; form-action 'self'; " +
    "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
}

const PRODUCT = 'Parley'

/**
 * A drawing of conversations beside the content on wide windows. It has no words, so that nobody takes it for messages
 * of the organization.
 */
const SCENE = html`<div class="scene" aria-hidden="true">
<div class="scene-card"><i class="scene-face"></i><div><b></b><u></u><u></u></div></div>
<div class="scene-card"><i class="scene-face"></i><div><b></b><u></u><span><s></s><s></s></span></div></div>
<div class="scene-card"><em>#</em><b></b><small></small></div>
</div>`

/** Renders a page that works without scripts: a narrow column under the name and the icon of the organization. */
export function renderPage({
  status = 200,
  heading,
  organization,
  content,
  hasErrors,
  headers,
}: PageContent): HttpResponse {
  const owner = organization?.name ?? PRODUCT
  const { html: body } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${hasErrors === true ? t('Error: {heading}', { heading }) : heading} · ${owner}</title>
<link rel="icon" href="${ADDRESSED_REALM_ICON}">
<script src="${assetUrl('theme.js')}"></script>
<link rel="stylesheet" href="${assetUrl('tokens.css')}">
<link rel="stylesheet" href="${assetUrl('font.css')}">
<link rel="stylesheet" href="${assetUrl('pages.css')}">
<script src="${assetUrl('pages.js')}" defer></script>
</head>
<body>
<div class="side">
<header class="banner">${mark(owner, organization)}<p>${owner}</p></header>
<main>
<h1>${heading}</h1>
${content}</main>
</div>
${SCENE}
</body>
</html>
`
  return { status, headers: { ...PAGE_HEADERS, ...headers }, body }
}

/** Renders the uploaded icon of the organization; without one, the initial of its name, as in the web client. */
function mark(name: string, organization: PageContent['organization']): Html {
  return organization?.pictures.icon === undefined
    ? html`<span class="mark" aria-hidden="true">${[...name][0]?.toUpperCase()}</span>`
    : html`<img src="${ADDRESSED_REALM_ICON}" alt="" width="32" height="32">`
}

/** Redirects the browser to an address of this server, even after a form. */
export function redirect(location: string, headers: Readonly<Record<string, string>> = {}): HttpResponse {
  return {
    status: 302,
    headers: { 'cache-control': 'private, no-store', 'referrer-policy': 'same-origin', ...headers, location },
    body: '',
  }
}
