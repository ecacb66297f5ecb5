import { choices, type FormErrors } from '../../../http/pages/form.ts'
import { type PageCall, page } from '../../../http/pages/page.ts'
import type { HttpResponse } from '../../../http/wire/http-types.ts'
import { html } from '../../../platform/encoding/html.ts'
import { isJoiningMethod, type JoiningMethod } from '../setup-draft.ts'
import { saveSetupDraft } from '../setup-link.ts'
import { redirectToNextStep, stepPage, withDraft } from './setup-page.ts'

export const showJoiningStep = page({
  route: 'GET /new/{key}/joining/',
  who: 'anyone',
  handle(call, { key }) {
    return withDraft(call, key, 'joining/', ({ joining }) => joiningPage(call, key, joining ?? 'mail', {}))
  },
})

export const submitJoiningStep = page({
  route: 'POST /new/{key}/joining/',
  who: 'anyone',
  fields: ['joining'],
  handle(call, { key, joining }) {
    return withDraft(call, key, 'joining/', async (draft) => {
      if (!isJoiningMethod(joining)) return joiningPage(call, key, null, { joining: 'Choose how people join.' })
      await call.transaction((tx) => saveSetupDraft(tx, key, { ...draft, joining }))
      return redirectToNextStep(key, 'joining/')
    })
  },
})

function joiningPage(
  { settings }: PageCall,
  key: string,
  chosen: JoiningMethod | null,
  errors: FormErrors,
): HttpResponse {
  const relay =
    settings.SMTP_URL === ''
      ? 'This server sends no mail yet: until SMTP_URL is set, owners read each mail in the outbox and pass its link on.'
      : 'Mail goes out through the relay that SMTP_URL names.'
  return stepPage({
    key,
    path: 'joining/',
    heading: 'How will people join?',
    button: 'Continue',
    errors,
    fields: html`<p>Nobody comes in without an invitation. Both can be changed later.</p>
${choices({
  name: 'joining',
  type: 'radio',
  legend: 'People join',
  error: errors['joining'],
  among: [
    {
      value: 'mail',
      label: 'by mail, and by links',
      hint: `Members invite people by e-mail, administrators also hand out links. ${relay}`,
      isChosen: chosen === 'mail',
    },
    {
      value: 'links',
      label: 'by links alone',
      hint: 'Administrators make links and pass them on; nobody invites by e-mail.',
      isChosen: chosen === 'links',
    },
  ],
})}`,
  })
}
