import { csrfField } from '#http/pages/form.ts'
import { renderPage } from '#http/pages/layout.ts'
import type { Visitor } from '#http/pages/page.ts'
import type { HttpResponse } from '#http/wire/http-types.ts'
import { html } from '#lib/encoding/html.ts'
import { t } from '#lib/text/t.ts'

/** Messages may contain pictures from any server; everything else must come from this one. */
const SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; manifest-src 'self'; " +
  "img-src 'self' https: data: blob:; media-src 'self' https: blob:; frame-src 'self'; form-action 'self'; " +
  "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types parley"

/** Themes by `color_scheme`. Other values follow the system. */
const THEMES: Readonly<Record<number, string>> = { 2: 'dark', 3: 'light' }

/** Returns the web client in the user's theme, with the CSRF token and the id of the user in `<meta>` elements. */
export function clientPage(index: string, { csrfToken, actor }: Visitor): HttpResponse {
  const theme = THEMES[actor.settings.color_scheme]
  const themed = theme === undefined ? index : index.replace(/<html/, `<html data-theme="${theme}"`)
  const { html: meta } = html`<meta name="csrf-token" content="${csrfToken}">
<meta name="user-id" content="${actor.id}">`
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'private, no-store',
      'content-security-policy': SECURITY_POLICY,
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
    },
    body: themed.replace(/<head(?:\s[^>]*)?>/, (head) => `${head}\n${meta}`),
  }
}

/** Returns the start page of logged-in users if the web client is not built. */
export function bareHomePage(visitor: Visitor): HttpResponse {
  const { actor } = visitor
  return renderPage({
    heading: t('Welcome, {name}', { name: actor.fullName }),
    organization: actor.realm,
    content: html`<p>${t('The web client has not been built on this server. You can use the terminal client or the mobile app.')}</p>
<p><a href="/api">${t('API reference')}</a></p>
<form method="post" action="/logout/">
${csrfField(visitor)}<button class="plain">${t('Log out')}</button>
</form>
`,
  })
}
