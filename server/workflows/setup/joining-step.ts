import type { HttpResponse } from '#http/http-types.ts'
import { choices, type FormErrors } from '#http/page-html.ts'
import { type PageCall, page } from '#http/pages.ts'
import { html } from '#lib/html.ts'
import { t } from '#lib/text.ts'
import { isJoiningMethod, type JoiningMethod, saveSetupDraft } from '../set-up-organization.ts'
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
      if (!isJoiningMethod(joining)) return joiningPage(call, key, null, { joining: t('Choose how people join.') })
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
  const mailHint =
    settings.SMTP_URL === ''
      ? t(
          'Members can invite people by email. Administrators can also create links. This server cannot send email yet, so you share the links of invitations yourself until its operator sets SMTP_URL.',
        )
      : t(
          'Members can invite people by email. Administrators can also create links. Email is sent through the relay in SMTP_URL.',
        )
  return stepPage({
    key,
    path: 'joining/',
    heading: t('How will people join?'),
    button: t('Continue'),
    errors,
    fields: html`<p>${t('Everyone needs an invitation to join. You can change this later.')}</p>
${choices({
  name: 'joining',
  type: 'radio',
  legend: t('How people join'),
  error: errors['joining'],
  among: [
    {
      value: 'mail',
      label: t('By email and links'),
      hint: mailHint,
      isChosen: chosen === 'mail',
    },
    {
      value: 'links',
      label: t('By links only'),
      hint: t('Administrators create and share links. Invitations by email are disabled.'),
      isChosen: chosen === 'links',
    },
  ],
})}`,
  })
}
