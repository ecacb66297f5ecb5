import type { HttpResponse } from '#http/http-types.ts'
import { errorSummary, type FormErrors, field, renderPage } from '#http/page-html.ts'
import { type PageCall, page } from '#http/pages.ts'
import { proofOf } from '#http/proof-of-work.ts'
import { limitByNetwork, limitBySite, mayMail, type RateRule } from '#http/rate-limits.ts'
import { html } from '#lib/html.ts'
import { t } from '#lib/text.ts'
import { sendsEmail } from '#mail/delivery.ts'
import { isEmailAddress, splitAddresses } from '#people/email-addresses.ts'
import { requestAccountLists } from '../account-emails.ts'

/** The maximum number of addresses in one request. */
const MAX_ADDRESSES = 10

/** The limits of requests per network, and per site of an IPv6 network. */
const RULES_PER_NETWORK: readonly RateRule[] = [[3600, 10]]
const RULES_PER_SITE: readonly RateRule[] = [[3600, 50]]

const showFindAccounts = page({
  route: 'GET /accounts/find/',
  who: 'anyone',
  handle: (call) => findAccountsPage(call, '', {}),
})

const submitFindAccounts = page({
  route: 'POST /accounts/find/',
  who: 'anyone',
  fields: ['emails'],
  needsProof: true,
  async handle(call, { emails: given }) {
    const emails = splitAddresses(given)
    const error = findProblem(emails)
    if (error !== null) return findAccountsPage(call, given, { emails: error })
    await limitByNetwork(call, 'searches for accounts', RULES_PER_NETWORK)
    await limitBySite(call, 'searches for accounts', RULES_PER_SITE)
    // Above the limit, no email is sent, but the response is the same.
    const allowed: string[] = []
    for (const email of emails) if (await mayMail(call, 'lists of accounts', email)) allowed.push(email)
    if (allowed.length > 0) await call.transaction(async (tx) => requestAccountLists(tx, allowed))
    return sentPage(call)
  },
})

export const findAccountsPages = [showFindAccounts, submitFindAccounts]

function findProblem(emails: readonly string[]): string | null {
  if (emails.length === 0) return t('Enter an email address, such as you@example.com.')
  if (emails.length > MAX_ADDRESSES) return t('Enter at most {limit} addresses.', { limit: MAX_ADDRESSES })
  const wrong = emails.find((email) => !isEmailAddress(email))
  return wrong === undefined ? null : t('“{text}” is not an email address.', { text: wrong })
}

function findAccountsPage(call: PageCall, emails: string, errors: FormErrors): HttpResponse {
  const proof = proofOf(call, '/accounts/find/')
  const hasErrors = errors['emails'] !== undefined
  return renderPage({
    ...(hasErrors && { status: 400 }),
    heading: t('Find your organizations'),
    hasErrors,
    headers: proof.headers,
    content: html`${errorSummary(errors)}<p>${t('We will email you links to the organizations on this server in which you have an account.')}</p>
<form method="post" action="/accounts/find/">
${field({
  name: 'emails',
  label: t('Your email addresses'),
  value: emails,
  hint: t('Separate several addresses with commas.'),
  autocomplete: 'email',
  error: errors['emails'],
  isFocused: true,
})}${proof.field}<button>${t('Send links')}</button>
</form>
`,
  })
}

function sentPage(call: PageCall): HttpResponse {
  const isSent = sendsEmail(call)
  return renderPage({
    heading: isSent ? t('Check your email') : t('This server cannot send email'),
    content: html`<p>${
      isSent
        ? t('Each address that has an account on this server gets an email with links to its organizations.')
        : t('Ask the person who invited you for the address of your organization.')
    }</p>
<p><a href="/accounts/find/">${t('Try another address')}</a></p>
`,
  })
}
