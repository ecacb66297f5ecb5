import type { Settings } from '#config.ts'
import type { HttpResponse } from '#http/http-types.ts'
import { errorSummary, type FormErrors, field, firstError, redirect, renderPage } from '#http/page-html.ts'
import type { PageCall } from '#http/pages.ts'
import { type Html, html } from '#lib/html.ts'
import { commandLine } from '#lib/process.ts'
import { linkTo, rich, t } from '#lib/text.ts'
import { findChosenSubdomainProblem, suggestSubdomains } from '#organizations/create-organization.ts'
import { realmAddress } from '#realms/realm.ts'
import type { Db } from '#storage/storage.ts'
import { type CompleteSetupDraft, findSetupDraft, type SetupDraft } from '../set-up-organization.ts'

type Step = { path: string; title: string; answers: keyof CompleteSetupDraft | null }

/** The steps in order, with their paths relative to the setup link. */
const STEPS = [
  { path: '', title: t('Organization'), answers: 'organization' },
  { path: 'owner/', title: t('You'), answers: 'owner' },
  { path: 'joining/', title: t('Joining'), answers: 'joining' },
  { path: 'channels/', title: t('Channels'), answers: null },
] as const satisfies readonly Step[]

type StepPath = (typeof STEPS)[number]['path']

const stepUrl = (key: string, path: StepPath) => `/new/${key}/${path}`

/** Redirects to the step after this one. */
export function redirectToNextStep(key: string, path: StepPath): HttpResponse {
  const next = STEPS[STEPS.findIndex((step) => step.path === path) + 1] ?? STEPS[0]
  return redirect(stepUrl(key, next.path))
}

/**
 * Shows a step with the draft. If an earlier step has no answers yet, it redirects there. If the link is invalid, it
 * shows an error page.
 */
export async function withDraft(
  { db, clock, settings }: PageCall,
  key: string,
  path: StepPath,
  answer: (draft: SetupDraft) => Promise<HttpResponse> | HttpResponse,
): Promise<HttpResponse> {
  const draft = await findSetupDraft(db, key, clock.now())
  if (draft === null) return invalidSetupLinkPage(settings)
  const missing = STEPS.find((step) => step.answers !== null && draft[step.answers] === undefined)
  const isTooFar = missing !== undefined && STEPS.indexOf(missing) < STEPS.findIndex((step) => step.path === path)
  return isTooFar ? redirect(stepUrl(key, missing.path)) : answer(draft)
}

/** Returns the page for visitors who may not create an organization, or only a demo. */
export const closedPage = ({ settings, path }: PageCall): HttpResponse =>
  renderPage({
    status: 403,
    heading: t('You cannot create an organization here'),
    content: html`<p>${t('Ask the operator of the server to create one for you.')}</p>
${settings.DEMO_ORGANIZATIONS && path === '/new/' && html`<p><a href="/new/demo/">${t('Try a demo organization')}</a></p>\n`}<p><a href="/accounts/find/">${t('Find your organizations')}</a></p>
`,
  })

type ChosenAddress = Record<'name' | 'subdomain', string>

/** Returns the error of a subdomain that a visitor chose, with free ones that are similar; undefined if it is free. */
export async function findChosenSubdomainError(db: Db, given: ChosenAddress): Promise<string | undefined> {
  const problem = await findChosenSubdomainProblem(db, given.subdomain)
  return problem === null ? undefined : subdomainError(db, given, problem)
}

/** Returns the error of a subdomain with this problem, with free ones that are similar. */
export async function subdomainError(db: Db, given: ChosenAddress, problem: keyof typeof PROBLEMS): Promise<string> {
  const free = new Intl.ListFormat('en', { type: 'disjunction' }).format(await suggestSubdomains(db, given))
  const suggestion = free === '' ? '' : ` ${t('Free addresses: {free}.', { free })}`
  return PROBLEMS[problem] + suggestion
}

const PROBLEMS = {
  malformed: t('Use 3 to 40 letters from a to z, digits and hyphens. The first and the last cannot be hyphens.'),
  reserved: t('This address is reserved. Choose another one.'),
  taken: t('This address is taken. Choose another one.'),
} as const

/** Renders the field in which visitors choose the subdomain of an organization. */
export function subdomainField(
  externalUrl: string,
  { value, error, isFocused }: { value: string; error: string | undefined; isFocused: (name: string) => boolean },
): Html {
  return field({
    name: 'subdomain',
    label: t('Start of the address'),
    hint: t('With “acme”, the address is {example}.', { example: realmAddress('acme', externalUrl).url }),
    value,
    error,
    isFocused: isFocused('subdomain'),
    autocomplete: 'off',
  })
}

type StepPage = {
  key: string
  path: StepPath
  heading: string
  fields: Html
  button: string
  errors: FormErrors
}

/** Returns the page with the form of a step. The form is submitted to the step's own URL. */
export function stepPage({ key, path, heading, fields, button, errors }: StepPage): HttpResponse {
  const hasErrors = firstError(errors) !== undefined
  return renderPage({
    ...(hasErrors && { status: 400 }),
    heading,
    hasErrors,
    content: html`${progress(key, path)}${errorSummary(errors)}<form method="post" action="${stepUrl(key, path)}">
${fields}<button>${button}</button>
</form>
`,
  })
}

function progress(key: string, current: StepPath): Html {
  const at = STEPS.findIndex((step) => step.path === current)
  const items = STEPS.map(({ path, title }, index) => {
    if (index === at) return html`<li aria-current="step">${title}</li>\n`
    return index < at ? html`<li><a href="${stepUrl(key, path)}">${title}</a></li>\n` : html`<li>${title}</li>\n`
  })
  return html`<nav aria-label="${t('Steps')}"><ol class="steps">
${items}</ol></nav>
`
}

export function invalidSetupLinkPage({ OPEN_REALM_CREATION }: Pick<Settings, 'OPEN_REALM_CREATION'>): HttpResponse {
  const isOpen = OPEN_REALM_CREATION
  return renderPage({
    status: 404,
    heading: t('This setup link is not valid'),
    content: html`<p>${rich('It was already used, or it is more than a day old. If the organization already exists, <a>log in</a>.', { a: linkTo('/login/') })}</p>
${isOpen && html`<p>${rich('Otherwise, <a>ask for a new link</a>.', { a: linkTo('/new/') })}</p>\n`}<p>${t('The operator of the server can print a new link for its first organization:')}</p>
<pre><code>${commandLine('setup-link')}</code></pre>
`,
  })
}
