import type { HttpResponse } from '#http/http-types.ts'
import { errorSummary, type FormErrors, field, firstError, initialFocus, renderPage } from '#http/page-html.ts'
import { type PageCall, page } from '#http/pages.ts'
import { proofOf } from '#http/proof-of-work.ts'
import { limitByNetwork, limitBySite, limitGlobally, mayMail, type RateRule } from '#http/rate-limits.ts'
import { html } from '#lib/html.ts'
import { bold, linkTo, rich, t } from '#lib/text.ts'
import { sendsEmail } from '#mail/delivery.ts'
import { findEmailProblem } from '#people/email-addresses.ts'
import { realmName } from '#realms/realm.ts'
import { requestOrganization } from '../set-up-organization.ts'
import { DEFAULT_JOINING_RULES } from './owner-step.ts'
import { closedPage, findChosenSubdomainError, subdomainField } from './setup-page.ts'

// The page on which visitors create an organization, if the operator allows it. It emails them a link, which leads
// through the steps of the setup. The response does not depend on the address.

/** The limits of requests per network, per site of an IPv6 network, and of emails in total. */
const RULES_PER_NETWORK: readonly RateRule[] = [
  [3600, 20],
  [86_400, 50],
]
const RULES_PER_SITE: readonly RateRule[] = [
  [3600, 60],
  [86_400, 100],
]
const RULES_IN_TOTAL: readonly RateRule[] = [[86_400, 500]]

const FIELDS = ['name', 'subdomain', 'email'] as const

type Given = Record<(typeof FIELDS)[number], string>

const showNewOrganization = page({
  route: 'GET /new/',
  who: 'anyone',
  handle: (call) => formPage(call, { name: '', subdomain: '', email: '' }, {}),
})

const submitNewOrganization = page({
  route: 'POST /new/',
  who: 'anyone',
  fields: FIELDS,
  needsProof: true,
  async handle(call, given) {
    const { db, settings, secret, transaction } = call
    if (!settings.OPEN_REALM_CREATION) return closedPage(call)
    await limitByNetwork(call, 'new organizations', RULES_PER_NETWORK)
    await limitBySite(call, 'new organizations', RULES_PER_SITE)
    const [subdomain, email] = [given.subdomain.trim().toLowerCase(), given.email.trim()]
    const name = realmName.safeParse(given.name)
    const errors = {
      name: name.success ? undefined : t('Enter a name of 1 to 40 characters.'),
      subdomain: await findChosenSubdomainError(db, { name: given.name, subdomain }),
      email: findEmailProblem(DEFAULT_JOINING_RULES, email) ?? undefined,
    }
    if (!name.success || firstError(errors) !== undefined) return formPage(call, given, errors)
    // Above the limit of an address, no email is sent, but the response is the same.
    if (await mayMail(call, 'new organizations', email)) {
      await limitGlobally(call, 'new organizations', RULES_IN_TOTAL)
      await transaction((tx) => requestOrganization(tx, secret, { name: name.data, subdomain, email }))
    }
    return sentPage(call, email)
  },
})

export const newOrganizationPages = [showNewOrganization, submitNewOrganization]

function formPage(call: PageCall, given: Given, errors: FormErrors): HttpResponse {
  const { settings } = call
  if (!settings.OPEN_REALM_CREATION) return closedPage(call)
  const proof = proofOf(call, '/new/')
  const hasErrors = firstError(errors) !== undefined
  const isFocused = initialFocus(errors, 'name')
  return renderPage({
    ...(hasErrors && { status: 400 }),
    heading: t('Create an organization'),
    hasErrors,
    headers: proof.headers,
    content: html`${errorSummary(errors)}<p>${t('We will email you a link to continue.')}</p>
<form method="post" action="/new/">
${field({
  name: 'name',
  label: t('Organization name'),
  value: given.name,
  error: errors['name'],
  autocomplete: 'organization',
  isFocused: isFocused('name'),
})}${subdomainField(settings.EXTERNAL_URL, { value: given.subdomain, error: errors['subdomain'], isFocused })}${field({
  name: 'email',
  label: t('Your email address'),
  type: 'email',
  value: given.email,
  error: errors['email'],
  autocomplete: 'email',
  isFocused: isFocused('email'),
})}${proof.field}<button>${t('Send link')}</button>
</form>
${settings.DEMO_ORGANIZATIONS && html`<p>${rich('Just curious? <a>Try a demo</a>, without an email address', { a: linkTo('/new/demo/') })}</p>\n`}<p>${rich('Looking for an organization that exists? <a>Find it</a>', { a: linkTo('/accounts/find/') })}</p>
`,
  })
}

function sentPage(call: PageCall, email: string): HttpResponse {
  if (!sendsEmail(call))
    return renderPage({
      heading: t('This server cannot send email'),
      content: html`<p>${t('Ask the operator of the server for the link.')}</p>\n`,
    })
  return renderPage({
    heading: t('Check your email'),
    content: html`<p>${rich('We have sent an email to <b>{email}</b>. Open the link in it to create your organization. The link expires after a day.', { email, b: bold })}</p>
<p>${t('No email after a few minutes? Check your spam folder, and make sure that the address is right.')}</p>
`,
  })
}
