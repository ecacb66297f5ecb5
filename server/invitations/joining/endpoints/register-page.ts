import { limitByNetwork } from '../../../http/limit-by-network.ts'
import { catchRefusal } from '../../../http/pages/catch-refusal.ts'
import type { FormErrors } from '../../../http/pages/form.ts'
import { redirect } from '../../../http/pages/layout.ts'
import { page, type RealmPageCall } from '../../../http/pages/page.ts'
import type { RateRule } from '../../../http/rate-limit.ts'
import { logSecurityEvent } from '../../../http/security-log.ts'
import type { HttpResponse } from '../../../http/wire/http-types.ts'
import { openSession } from '../../../people/sessions/open-session.ts'
import { deleteSession } from '../../../people/sessions/queries.ts'
import { sessionCookie } from '../../../people/sessions/session-cookie.ts'
import { emailNotAllowed, emailTaken } from '../../../people/users/addresses/available-email.ts'
import { fullNameRefusals, requireFullName } from '../../../people/users/full-name.ts'
import { findEmailProblem, findJoiningRules } from '../../../people/users/joining-rules.ts'
import { requireUsablePassword } from '../../../people/users/passwords/passwords.ts'
import { requireTimezone } from '../../../people/users/settings/time-zone.ts'
import { nameNotUnique } from '../../../people/users/unique-name.ts'
import { Refusal, type RefusalKind } from '../../../platform/errors/refusal.ts'
import { t } from '../../../platform/text/t.ts'
import { isByEmail } from '../../invitation.ts'
import {
  acceptInvitation,
  domainNotAllowed,
  invitationNotValid,
  noLicensesLeft,
  requireAllowedAddress,
} from '../accept-invitation.ts'
import { findGrants } from '../grants.ts'
import { findInvitationStatus, type InvitationStatus } from '../invitation-status.ts'
import { type FormResponse, type JoinFields, joinForm } from './join-form.ts'
import { cannotJoinPage, redirectToLogin, unavailablePage } from './unavailable-pages.ts'

/** Attempts to join from one IP address: enough for a room full of people, too few to try many email addresses. */
const JOIN_LIMITS: readonly RateRule[] = [
  [60, 30],
  [3600, 300],
]

export const registerPage = page({
  route: 'POST /accounts/register/',
  who: 'anyone here',
  fields: ['key', 'email', 'full_name', 'password', 'timezone'],
  async handle(call, given) {
    const { realm, db, secret, clock } = call
    const status = await findInvitationStatus(db, realm, given.key, secret, clock.now())
    if (status?.state !== 'pending') return unavailablePage(realm, status, given.key)
    const joined = await catchRefusal(() => join(call, status, given))
    return joined instanceof Refusal ? showRefusal(call, status, given, joined) : joined
  },
})

/** Creates the account, signs in and redirects to the home page. All errors in the form are shown at once. */
async function join(call: RealmPageCall, status: InvitationStatus, given: JoinFields): Promise<HttpResponse> {
  await limitByNetwork(call, 'attempts to join', JOIN_LIMITS)
  const { realm, passwords, settings, transaction, visitor, userAgent } = call
  const email = (status.invitation.email ?? given.email).trim()
  const errors = await findErrors(call, status, given, email)
  if (Object.keys(errors).length > 0) return showAgain(call, status, given, { status: 400, errors })

  const zone = await catchRefusal(async () => requireTimezone(given.timezone))
  const timezone = zone instanceof Refusal ? '' : zone
  const passwordHash = await passwords.hash(given.password)
  const { session, token, userId } = await transaction(async (tx) => {
    const account = { fullName: given.full_name, email, passwordHash, timezone }
    const user = await acceptInvitation(tx, realm.id, status.invitation.id, account)
    if (visitor !== null) await deleteSession(tx, visitor.session.id)
    return { userId: user.id, ...(await openSession(tx, user.id, { isKept: false, userAgent })) }
  })
  const facts = { realmId: realm.id, actorId: userId, targetId: userId }
  logSecurityEvent(call, 'login', { ...facts, details: { by: 'invitation' } })
  return redirect('/', { 'set-cookie': sessionCookie(settings, token, session) })
}

/**
 * Returns the errors that can be found before the password is hashed. The address of an email invitation is not
 * checked, because the user cannot change it.
 */
async function findErrors(
  { db, realm, settings }: RealmPageCall,
  { invitation }: InvitationStatus,
  given: JoinFields,
  email: string,
): Promise<FormErrors> {
  const rules = await findJoiningRules(db, realm)
  const emailError = isByEmail(invitation) ? null : findEmailProblem(rules, email)
  return {
    ...(emailError !== null && { email: emailError }),
    ...(await errorOf('email', () => requireAllowedAddress(invitation, email))),
    ...(await errorOf('full_name', () => requireFullName(given.full_name))),
    ...(await errorOf('password', () =>
      requireUsablePassword(given.password, { email, organization: realm.name }, settings),
    )),
  }
}

async function errorOf(name: keyof JoinFields, check: () => unknown): Promise<FormErrors> {
  const checked = await catchRefusal(async () => check())
  return checked instanceof Refusal ? { [name]: checked.message } : {}
}

/** Shows the form with its errors again, or another page if no change to the form would help. */
async function showRefusal(
  call: RealmPageCall,
  status: InvitationStatus,
  given: JoinFields,
  { kind, message, extras }: Refusal,
): Promise<HttpResponse> {
  const { db, realm, secret, clock } = call
  const { email } = status.invitation
  if (kind === invitationNotValid)
    return unavailablePage(realm, await findInvitationStatus(db, realm, given.key, secret, clock.now()), given.key)
  if (kind === emailTaken) return redirectToLogin(email ?? given.email.trim())
  if (kind === noLicensesLeft || (kind === emailNotAllowed && email !== null))
    return cannotJoinPage(realm, status, message)
  if (kind.status === 429) {
    const seconds = Math.ceil(Number(extras['retry-after'] ?? 1))
    const errors = {
      password: t(
        'Too many people are joining right now. Try again in {seconds} {seconds, plural, one {second} other {seconds}}.',
        { seconds },
      ),
    }
    return showAgain(call, status, given, { status: 429, errors, headers: { 'retry-after': String(seconds) } })
  }
  return showAgain(call, status, given, { status: kind.status, errors: { [fieldOf(kind)]: message } })
}

async function showAgain(
  { db, realm, clock }: RealmPageCall,
  status: InvitationStatus,
  given: JoinFields,
  shown: FormResponse,
): Promise<HttpResponse> {
  return joinForm(realm, status, await findGrants(db, status.inviter, status.invitation, clock.now()), given, shown)
}

/** Returns the field that a refusal is about. */
function fieldOf(kind: RefusalKind): keyof JoinFields {
  if (kind === emailNotAllowed || kind === domainNotAllowed) return 'email'
  return kind === nameNotUnique || fullNameRefusals.some((one) => one === kind) ? 'full_name' : 'password'
}
