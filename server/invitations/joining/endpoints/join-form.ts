import { errorSummary, type FormErrors, field, hidden, timeZoneField } from '../../../http/pages/form.ts'
import { renderPage } from '../../../http/pages/layout.ts'
import { newPasswordField } from '../../../http/pages/password-field.ts'
import type { HttpResponse } from '../../../http/wire/http-types.ts'
import { organizationTypeOf } from '../../../organizations/organization-type-text.ts'
import type { Realm } from '../../../organizations/realms/realm.ts'
import type { Role } from '../../../people/users/role.ts'
import type { User } from '../../../people/users/user.ts'
import { type Html, html } from '../../../platform/encoding/html.ts'
import { linkTo, rich } from '../../../platform/text/rich.ts'
import { t } from '../../../platform/text/t.ts'
import { formatUtcTime, roleKey } from '../../format.ts'
import { type Invitation, isByEmail } from '../../invitation.ts'
import type { InvitationGrants } from '../grants.ts'
import type { InvitationStatus } from '../invitation-status.ts'
import { type ImportFields, importFields } from './import-settings.ts'

/** The fields of every form that creates an account. */
export type AccountFields = { full_name: string; password: string; timezone: string } & ImportFields

/** The fields of the form that accepts an invitation. */
export type JoinFields = { key: string; email: string } & AccountFields

type FieldState = { name: string; error: string | undefined; isFocused: boolean }

export type FormResponse = { status?: number; errors?: FormErrors; headers?: Readonly<Record<string, string>> }

/**
 * Returns the page with the form that accepts the invitation. The page names the inviter and the role. If the form is
 * shown again, it keeps all values except the password.
 */
export function joinForm(
  realm: Realm,
  { invitation, inviter }: InvitationStatus,
  grants: InvitationGrants,
  given: Pick<JoinFields, 'key' | 'email' | 'full_name' | 'other_organization'>,
  canImport: boolean,
  shown: FormResponse = {},
): HttpResponse {
  return accountPage(realm, shown, {
    action: '/accounts/register/',
    above: html`<p>${invitedAs(inviter.fullName, invitation.role)}</p>
${summary(invitation, grants)}`,
    first: (email) => html`${hidden('key', given.key)}${addressField(invitation, given.email, email)}`,
    fullName: given.full_name,
    imported: canImport ? given : null,
  })
}

/** Returns the page with the form that creates an account. The fields for the address come first. */
export function accountPage(
  realm: Realm,
  { status = 200, errors = {}, headers = {} }: FormResponse,
  form: {
    action: string
    above: Html
    first: (email: FieldState) => Html
    fullName: string
    /** The values of the fields for importing settings; null if the server has no other organization. */
    imported: Pick<ImportFields, 'other_organization'> | null
  },
): HttpResponse {
  const wrong = Object.keys(errors).filter((name) => errors[name] !== undefined)
  const type = organizationTypeOf(realm.settings)
  const fieldOf = (name: 'email' | 'full_name' | 'password') => ({
    name,
    error: errors[name],
    isFocused: wrong[0] === name,
  })
  return renderPage({
    status,
    headers,
    heading: t('Join {realm}', { realm: realm.name }),
    organization: realm.name,
    hasErrors: wrong.length > 0,
    content: html`${type !== null && html`<p class="quiet">${type}</p>\n`}${form.above}${errorSummary(errors)}<form method="post" action="${form.action}">
${form.first(fieldOf('email'))}${field({
  ...fieldOf('full_name'),
  label: t('Full name'),
  value: form.fullName,
  hint: t('Other users see this name.'),
  autocomplete: 'name',
})}${newPasswordField(fieldOf('password'))}${form.imported !== null && importFields(form.imported, errors)}${timeZoneField()}<button>${t('Join {realm}', { realm: realm.name })}</button>
</form>
<p>${rich('Already have an account? <a>Log in</a>', { a: linkTo('/login/') })}</p>
`,
  })
}

const invitedAs = (inviter: string, role: Role): string =>
  t(
    '{inviter} invited you as {role, select, owner {an owner} administrator {an administrator} moderator {a moderator} guest {a guest} other {a member}}.',
    { inviter, role: roleKey(role) },
  )

function addressField(invitation: Invitation, given: string, rest: FieldState): Html {
  const line = { ...rest, label: t('Email'), type: 'email', autocomplete: 'email' } as const
  if (isByEmail(invitation)) return field({ ...line, value: invitation.email, isReadOnly: true })
  const { allowedDomains } = invitation
  const hint =
    allowedDomains.length === 0
      ? undefined
      : t('Use an address at {domains}.', { domains: oneOf.format(allowedDomains) })
  return field({ ...line, value: given, hint })
}

const oneOf = new Intl.ListFormat('en', { type: 'disjunction' })

/** The maximum number of names that are listed. The remaining names are only counted. */
const MAX_NAMES = 12

/**
 * Lists the channels and groups that the new account joins, and when the invitation expires. Empty rows are left out.
 */
function summary({ expiresAt }: Invitation, { channels, groups }: InvitationGrants): Html {
  const rows: [string, string][] = [
    [t('Channels'), list(channels.map(({ name }) => `#${name}`))],
    [t('Groups'), list(groups.map(({ name }) => name))],
    [t('Expires'), expiresAt === null ? t('Never') : formatUtcTime(expiresAt)],
  ]
  return html`<dl>
${rows.map(([term, value]) => value !== '' && html`<dt>${term}</dt><dd>${value}</dd>\n`)}</dl>
`
}

function list(names: readonly string[]): string {
  const rest = names.length - MAX_NAMES
  const shown = names.slice(0, MAX_NAMES).join(', ')
  return rest > 0 ? t('{shown}, and {rest} more', { shown, rest }) : shown
}

/** Returns the page that warns users who are logged in that joining creates another account. */
export function alreadySignedInPage(realm: Realm, user: User, path: string): HttpResponse {
  return renderPage({
    heading: t('You are logged in as {name}', { name: user.fullName }),
    organization: realm.name,
    content: html`<p>${t('This link creates another account at {realm}, in addition to your account with {email}.', { realm: realm.name, email: user.deliveryEmail })}</p>
<p><a class="button" href="/">${t('Continue as {name}', { name: user.fullName })}</a></p>
<p><a href="${path}?another">${t('Join with another account')}</a></p>
`,
  })
}
