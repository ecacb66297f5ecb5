import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Html, html } from '#lib/html.ts'
import { projectRoot } from '#lib/process.ts'
import { hashSecret } from '#lib/secrets.ts'
import { t } from '#lib/text.ts'
import type { HttpRequest, HttpResponse } from './http-types.ts'
import type { Visitor } from './pages.ts'
import { CONTENT_POLICIES } from './security-headers.ts'

// The frame and the form fields of pages outside the web client. They work without scripts and load nothing from other
// servers. Each error is shown at its field; several are also listed above the form. Text is escaped by `html`. Pages
// are never cached; the files that they refer to are cached forever, because their addresses change with their content.

type Asset = { url: string; answer: HttpResponse }

const read = (path: string) => readFileSync(join(projectRoot, path))

/** The font of the web client, with Latin letters: the text of the pages is English. */
const font = toAsset(
  'inter.woff2',
  'font/woff2',
  readFileSync(
    createRequire(import.meta.url).resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'),
  ),
)
const FONT_FACE = `@font-face {
  font-display: swap;
  font-family: "Inter Variable";
  font-weight: 100 900;
  src: url("${font.url}") format("woff2");
}
`

/** The style sheets of the web client that pages with messages need. */
const MESSAGE_STYLES = [
  'ui/avatar.css',
  'ui/button.css',
  'message-html/content-tokens.css',
  'message-html/message-content.css',
  'message-html/elements/code-block.css',
  'message-html/elements/code-colors.css',
]

/** Returns style sheets of the web client as one. Those that they import are in the list. */
const styles = (names: readonly string[]) =>
  Buffer.from(
    names
      .map((name) =>
        read(`web/${name}`)
          .toString()
          .replace(/^@import .*$/gm, ''),
      )
      .join('\n'),
  )

const CSS = 'text/css; charset=utf-8'
const JAVASCRIPT = 'text/javascript; charset=utf-8'

/** The files that pages refer to. The pages share the colors and the font of the web client. */
const assets = {
  'tokens.css': toAsset('tokens.css', CSS, read('web/ui/tokens.css')),
  'font.css': toAsset('font.css', CSS, Buffer.from(FONT_FACE)),
  'pages.css': toAsset('pages.css', CSS, read('server/http/pages/assets/pages.css')),
  'theme.js': toAsset('theme.js', JAVASCRIPT, read('server/http/pages/assets/theme.js')),
  'pages.js': toAsset('pages.js', JAVASCRIPT, read('server/http/pages/assets/pages.js')),
  'proof.js': toAsset('proof.js', JAVASCRIPT, read('server/http/pages/assets/proof.js')),
  'proof-worker.js': toAsset('proof-worker.js', JAVASCRIPT, read('server/http/pages/assets/proof-worker.js')),
  'public.css': toAsset('public.css', CSS, read('server/http/pages/assets/public.css')),
  'messages.css': toAsset('messages.css', CSS, styles(MESSAGE_STYLES)),
  'reference.css': toAsset('reference.css', CSS, read('server/http/pages/assets/reference.css')),
  'explorer.js': toAsset('explorer.js', JAVASCRIPT, read('server/http/pages/assets/explorer.js')),
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

/** The organization whose name and icon a page shows. */
type PageOwner = { readonly name: string; readonly pictures: { readonly icon?: string } }

/** The path that redirects to the icon of the organization at the requested host. */
const ADDRESSED_REALM_ICON = '/json/realm/icon'

type PageContent = {
  /** 200 if omitted. */
  status?: number
  heading: string
  /** The product if omitted. */
  organization?: PageOwner | undefined
  content?: Html
  /** True if a form has errors. The title of the page then starts with "Error". */
  hasErrors?: boolean
  /** True for a page with lists and tables, which takes the width of the window. */
  isWide?: boolean
  headers?: Readonly<Record<string, string>>
}

/**
 * The headers of every page. Pages are not cached, because their addresses may contain keys. Other sites get no referrer; this
 * server needs it to recognize its own forms.
 */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'private, no-store',
  'content-security-policy': CONTENT_POLICIES.page,
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
  isWide = false,
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
<body${isWide && html` class="wide"`}>
<div class="side">
<header class="banner">${mark(owner, organization)}<p>${owner}</p></header>
<main>
<h1>${heading}</h1>
${content}</main>
</div>
${!isWide && SCENE}
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

/** Returns the page for a link that this server did not create. */
export const invalidLinkPage = (organization: PageOwner): HttpResponse =>
  renderPage({
    status: 404,
    heading: t('This link is not valid'),
    organization,
    content: html`<p>${t('It may have been cut off. Open it again from the email.')}</p>\n`,
  })

/** Returns the page for a link that this server created, but that has expired or was already used. */
export const expiredLinkPage = (content: Html, organization?: PageOwner): HttpResponse =>
  renderPage({ status: 404, heading: t('This link is no longer valid'), organization, content })

/** The errors of a form by field name. */
export type FormErrors = Readonly<Record<string, string | undefined>>

/** Returns the first field with an error. */
export function firstError(errors: FormErrors): string | undefined {
  return Object.keys(errors).find((name) => errors[name] !== undefined)
}

/** Returns a function that is true for the field to focus: the first with an error, else the first of the form. */
export function initialFocus(errors: FormErrors, beginning: string): (name: string) => boolean {
  const focused = firstError(errors) ?? beginning
  return (name) => name === focused
}

/** A text field. Its `name` is also its id. */
type Field = {
  name: string
  label: string
  /** `text` if omitted. */
  type?: 'text' | 'email' | 'password' | undefined
  value?: string | undefined
  hint?: string | undefined
  error?: string | undefined
  /** The HTML token for autofill, such as `email`, `name` or `new-password`. */
  autocomplete?: string | undefined
  isOptional?: boolean | undefined
  isReadOnly?: boolean | undefined
  isFocused?: boolean | undefined
  /** The name of the organization that a new password is for. Scripts check the password against it. */
  organization?: string | undefined
  /** A link beside the label. */
  aside?: Html | undefined
}

/** Renders a field with its label, hint and error. With scripts, passwords get a button to show them. */
export function field({ name, label, type = 'text', value = '', hint, error, ...rest }: Field): Html {
  const described = [hint !== undefined && `${name}-hint`, error !== undefined && `${name}-error`].filter(Boolean)
  return html`<div class="field">
<label for="${name}">${label}${rest.isOptional === true && html` <span class="quiet">${t('(optional)')}</span>`}</label>
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>\n`}${errorLine(name, error)}<input id="${name}" name="${name}" type="${type}" value="${value}"${type === 'text' && html` dir="auto"`}${
    described.length > 0 && html` aria-describedby="${described.join(' ')}"`
  }${error !== undefined && html` aria-invalid="true"`}${
    rest.autocomplete !== undefined && html` autocomplete="${rest.autocomplete}"`
  }${rest.isOptional !== true && html` required`}${rest.isReadOnly === true && html` readonly`}${
    rest.isFocused === true && html` autofocus`
  }${rest.organization !== undefined && html` data-organization="${rest.organization}"`}>${rest.aside !== undefined && html`<span class="aside">${rest.aside}</span>`}
</div>
`
}

/** Renders a list from which users choose one option. Its `name` is also its id. */
export function selectField(options: {
  name: string
  label: string
  hint?: string
  chosen: string
  among: readonly { value: string; label: string }[]
}): Html {
  const { name, label, hint, chosen, among } = options
  return html`<div class="field">
<label for="${name}">${label}</label>
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>\n`}<div class="select"><select id="${name}" name="${name}"${hint !== undefined && html` aria-describedby="${name}-hint"`}>
${among.map(({ value, label }) => html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>\n`)}</select></div>
</div>
`
}

type Choice = {
  /** The name of the form field; the name of the question if omitted. */
  name?: string
  value: string
  label: string
  hint?: string
  isChosen: boolean
}

/**
 * Renders the choices of a question. Users choose one of them (`radio`) or several (`checkbox`). The id of the first
 * choice is the name of the question.
 */
export function choices(options: {
  name?: string
  type: 'radio' | 'checkbox'
  legend: string
  error?: string | undefined
  among: readonly Choice[]
}): Html {
  const { name = '', type, legend, error, among } = options
  return html`<fieldset${error !== undefined && html` aria-describedby="${name}-error"`}>
<legend>${legend}</legend>
${errorLine(name, error)}${among.map((choice, at) => choiceLine(choice.name ?? (at === 0 ? name : `${name}-${at}`), name, type, choice))}</fieldset>
`
}

/** Renders a single checkbox, which sends `on`. */
export function checkbox({ name, label, isChosen = false }: { name: string; label: string; isChosen?: boolean }): Html {
  return choiceLine(name, name, 'checkbox', { value: 'on', label, isChosen })
}

function choiceLine(id: string, question: string, type: string, choice: Choice): Html {
  const { name = question, value, label, hint, isChosen } = choice
  return html`<div class="choice">
<input id="${id}" name="${name}" type="${type}" value="${value}"${isChosen && html` checked`}${
    hint !== undefined && html` aria-describedby="${id}-hint"`
  }>
<div><label for="${id}">${label}</label>${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}</div>
</div>
`
}

function errorLine(name: string, error: string | undefined): Html | null {
  return error === undefined ? null : html`<p class="error" id="${name}-error" role="alert">${error}</p>\n`
}

/** Renders several errors above the form, each with a link to its field. A single error is shown only at its field. */
export function errorSummary(errors: FormErrors): Html | null {
  const known = Object.entries(errors).filter(([, text]) => text !== undefined)
  if (known.length < 2) return null
  return html`<div class="summary" role="alert">
<h2>${t('There is a problem')}</h2>
<ul>${known.map(([name, text]) => html`<li><a href="#${name}">${text}</a></li>`)}</ul>
</div>
`
}

/**
 * Renders a button that copies the field or the list with this id. Scripts show it (`assets/pages.js`), because it needs
 * them.
 */
export const copyButton = (id: string, label: string, kind = ''): Html =>
  html`<p><button type="button" class="${kind}" data-copies="${id}" aria-live="polite" hidden>${label}</button></p>
`

/** Renders a hidden value of the form. */
export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">\n`
}

/** Renders the CSRF token, which forms of logged-in users must contain. */
export function csrfField({ csrfToken }: Pick<Visitor, 'csrfToken'>): Html {
  return hidden('csrf_token', csrfToken)
}

/** Renders a hidden field that a script fills with the time zone of the browser. */
export function timeZoneField(): Html {
  return html`<input type="hidden" name="timezone" value="" data-time-zone>\n`
}

/** Renders a time in UTC. Scripts show it in the time zone and the format of the browser. */
export function moment(time: number): Html {
  const iso = new Date(time * 1000).toISOString()
  return html`<time datetime="${iso}" data-moment>${t('{time} UTC', { time: iso.slice(0, 16).replace('T', ' ') })}</time>`
}
