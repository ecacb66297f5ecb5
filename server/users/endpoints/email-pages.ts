import { confirmEmailChange } from '../../accounts/change-email.ts'
import { type Html, html } from '../../base/html.ts'
import { Refusal } from '../../base/refusal.ts'
import type { Services } from '../../http/endpoint.ts'
import type { Answer, Exchange } from '../../http/wire/exchange.ts'
import { findRealm } from '../../realms/queries.ts'
import { subdomainOf } from '../../realms/realm.ts'
import type { Db } from '../../storage/storage.ts'
import { askedAt, type EmailChange, provesEmailChange, readEmailChange } from '../email-change.ts'
import { findUser, hasChangedEmailSince } from '../queries.ts'
import type { Actor } from '../user.ts'

const PATH = /^\/accounts\/confirm_new_email\/([\w.-]{1,2000})$/

type Tools = Pick<Services, 'db' | 'transaction' | 'clock' | 'secret' | 'settings'>

/**
 * Answers the link that confirms a new address: opening it shows a button, since scanners of mail open links, and the
 * button changes the address. Null for all other paths.
 */
export function emailPages(tools: Tools): (exchange: Exchange) => Promise<Answer> | null {
  return (exchange) => {
    const key = PATH.exec(exchange.path)?.[1]
    const { method } = exchange
    if (key === undefined || !['GET', 'HEAD', 'POST'].includes(method)) return null
    return method === 'POST' ? confirm(tools, exchange, key) : ask(tools, exchange, key)
  }
}

async function ask(tools: Tools, { host }: Exchange, key: string): Promise<Answer> {
  const found = await findChange(tools.db, tools, host, key)
  if (found === null) return deadLink()
  return page(200, 'Confirm your new address', [
    html`<p>Your account at ${found.account.realm.name} is to have the address <b>${found.change.newEmail}</b>.</p>`,
    html`<form method="post"><button>Confirm</button></form>`,
  ])
}

async function confirm(tools: Tools, { host }: Exchange, key: string): Promise<Answer> {
  try {
    const newEmail = await tools.transaction(async (tx) => {
      const found = await findChange(tx.db, tools, host, key)
      if (found === null) return null
      const { account, change } = found
      return (await confirmEmailChange(tx, account.realm, account, change)) ? change.newEmail : null
    })
    if (newEmail === null) return deadLink()
    return page(200, 'Your address has changed', [html`<p>It is <b>${newEmail}</b> from now on.</p>`])
  } catch (error) {
    if (error instanceof Refusal) return page(400, 'Your address has not changed', [html`<p>${error.message}</p>`])
    throw error
  }
}

/** What the key proves, if whom it was made for can still use it at this address. */
async function findChange(
  db: Db,
  { clock, secret, settings }: Tools,
  host: string,
  key: string,
): Promise<{ change: EmailChange; account: Actor } | null> {
  const change = readEmailChange(key)
  const user = change === null ? null : await findUser(db, change.userId)
  if (change === null || user === null || user.deactivatedAt !== null) return null
  if (!provesEmailChange(secret, key, change, user.deliveryEmail) || change.expiresAt < clock.now()) return null
  if (await hasChangedEmailSince(db, user.id, askedAt(change))) return null
  const realm = await findRealm(db, user.realmId)
  const isHere = realm?.subdomain === subdomainOf(host, settings.EXTERNAL_URL, settings.REALM_HOSTS)
  return !isHere || realm.deactivatedAt !== null ? null : { change, account: { ...user, realm } }
}

const deadLink = () =>
  page(404, 'This link is not valid any more', [
    html`<p>It was used, or more than a day has passed. Change your address in your settings to get another one.</p>`,
  ])

function page(status: number, heading: string, content: readonly Html[]): Answer {
  const { html: body } = html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${heading}</title>
<h1>${heading}</h1>
${content}
</html>
`
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'private, no-store',
    'content-security-policy': "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
  }
  return { status, headers, body }
}
