import { limitPasswordWork, newPasswordField } from '#accounts/password-checks.ts'
import type { HttpResponse } from '#http/http-types.ts'
import { type FormErrors, field, initialFocus, timeZoneField } from '#http/page-html.ts'
import { page } from '#http/pages.ts'
import { limitGlobally, type RateRule } from '#http/rate-limits.ts'
import { catchRefusal } from '#http/refusals.ts'
import { Refusal } from '#lib/errors.ts'
import { html } from '#lib/html.ts'
import { hashSecret } from '#lib/secrets.ts'
import { t } from '#lib/text.ts'
import { findEmailProblem } from '#people/email-addresses.ts'
import { requireUsablePassword } from '#people/password-rules.ts'
import { timezoneOr } from '#people/user-settings.ts'
import { requireFullName } from '#people/users.ts'
import { saveSetupDraft } from '../set-up-organization.ts'
import { redirectToNextStep, stepPage, withDraft } from './setup-page.ts'

/** The rules for addresses in an organization with default settings. */
export const DEFAULT_JOINING_RULES = { domains: null, allowsDisposable: false }

export const showOwnerStep = page({
  route: 'GET /new/{key}/owner/',
  who: 'anyone',
  handle(call, { key }) {
    return withDraft(call, key, 'owner/', ({ email, owner, organization }) =>
      ownerPage(
        { key, organization: organization?.name ?? '' },
        { fullName: '', ...owner, email: email ?? owner?.email ?? '' },
        owner !== undefined,
        {},
        email !== undefined,
      ),
    )
  },
})

/** The limit of passwords that are hashed for one link. */
const PASSWORDS_PER_LINK: readonly RateRule[] = [[3600, 20]]

export const submitOwnerStep = page({
  route: 'POST /new/{key}/owner/',
  who: 'anyone',
  fields: ['full_name', 'email', 'password', 'timezone'],
  handle(call, { key, full_name, email: address, password, timezone }) {
    const { transaction, passwords, settings } = call
    return withDraft(call, key, 'owner/', async (draft) => {
      const email = draft.email ?? address.trim()
      const savedHash = draft.owner?.passwordHash
      const keepsPassword = password === '' && savedHash !== undefined
      const fullName = await catchRefusal(async () => requireFullName(full_name))
      const passwordHash = keepsPassword
        ? savedHash
        : await catchRefusal(async () => {
            requireUsablePassword(password, { email, organization: draft.organization?.name ?? '' }, settings)
            await limitPasswordWork(call)
            await limitGlobally(call, `setup ${hashSecret(key)}`, PASSWORDS_PER_LINK)
            return passwords.hash(password)
          })
      const errors = {
        full_name: fullName instanceof Refusal ? fullName.message : undefined,
        email: findEmailProblem(DEFAULT_JOINING_RULES, email) ?? undefined,
        password: passwordHash instanceof Refusal ? passwordHash.message : undefined,
      }
      if (fullName instanceof Refusal || passwordHash instanceof Refusal || errors.email !== undefined)
        return ownerPage(
          { key, organization: draft.organization?.name ?? '' },
          { fullName: full_name, email: draft.email ?? address },
          savedHash !== undefined,
          errors,
          draft.email !== undefined,
        )
      const owner = { fullName, email, timezone: timezoneOr(timezone, ''), passwordHash }
      await transaction((tx) => saveSetupDraft(tx, key, { ...draft, owner }))
      return redirectToNextStep(key, 'owner/')
    })
  },
})

function ownerPage(
  { key, organization }: { key: string; organization: string },
  { fullName, email }: { fullName: string; email: string },
  hasPassword: boolean,
  errors: FormErrors,
  isProved: boolean,
): HttpResponse {
  const isFocused = initialFocus(errors, 'full_name')
  return stepPage({
    key,
    path: 'owner/',
    heading: t('Who are you?'),
    button: t('Continue'),
    errors,
    fields: html`<p>${t('You will be the owner of the organization, with all permissions.')}</p>
${field({
  name: 'full_name',
  label: t('Your name'),
  value: fullName,
  error: errors['full_name'],
  autocomplete: 'name',
  isFocused: isFocused('full_name'),
})}${field({
  name: 'email',
  label: t('Your email address'),
  type: 'email',
  hint: t('You will use it to log in.'),
  value: email,
  error: errors['email'],
  isFocused: isFocused('email'),
  isReadOnly: isProved,
  autocomplete: 'username',
})}${newPasswordField({
  error: errors['password'],
  isFocused: isFocused('password'),
  organization,
  ...(hasPassword && { isOptional: true, hint: t('Leave this empty to keep the password that you have chosen.') }),
})}${timeZoneField()}`,
  })
}
