import type { HttpResponse } from '#http/http-types.ts'
import { errorSummary, type FormErrors, firstError, redirect, renderPage } from '#http/page-html.ts'
import type { PageCall } from '#http/pages.ts'
import { type Html, html } from '#lib/html.ts'
import { linkTo, rich, t } from '#lib/text.ts'
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
  { db, clock }: PageCall,
  key: string,
  path: StepPath,
  answer: (draft: SetupDraft) => Promise<HttpResponse> | HttpResponse,
): Promise<HttpResponse> {
  const draft = await findSetupDraft(db, key, clock.now())
  if (draft === null) return invalidSetupLinkPage()
  const missing = STEPS.find((step) => step.answers !== null && draft[step.answers] === undefined)
  const isTooFar = missing !== undefined && STEPS.indexOf(missing) < STEPS.findIndex((step) => step.path === path)
  return isTooFar ? redirect(stepUrl(key, missing.path)) : answer(draft)
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

export function invalidSetupLinkPage(): HttpResponse {
  return renderPage({
    status: 404,
    heading: t('This setup link is not valid'),
    content: html`<p>${rich('It was already used, or it is more than a day old. If the organization already exists, <a>log in</a>.', { a: linkTo('/login/') })}</p>
<p>${t('Otherwise, the operator of the server can print a new link:')}</p>
<pre><code>npm run -s parley -- setup-link</code></pre>
`,
  })
}
