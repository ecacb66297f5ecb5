import { emailNotAllowed } from '#accounts/change-email.ts'
import { changeAvatar, nameNotUnique } from '#accounts/change-users.ts'
import { askForSecondFactor } from '#accounts/sign-in.ts'
import type { HttpResponse } from '#http/http-types.ts'
import { type FormErrors, redirect } from '#http/page-html.ts'
import type { RealmPageCall } from '#http/pages.ts'
import { limitByNetwork, type RateRule } from '#http/rate-limits.ts'
import { catchRefusal } from '#http/refusals.ts'
import { Refusal, type RefusalKind } from '#lib/errors.ts'
import { t } from '#lib/text.ts'
import { recordAudit } from '#people/audit.ts'
import { requireUsablePassword } from '#people/password-rules.ts'
import { isSecondFactorDue } from '#people/second-factors.ts'
import { deleteSession, openSession, sessionCookie } from '#people/sessions.ts'
import { AddressVisibility, requireTimezone } from '#people/user-settings.ts'
import { fullNameRefusals, requireFullName, type User } from '#people/users.ts'
import type { Transaction } from '#storage/storage.ts'
import { domainNotAllowed, type NewAccount } from '../accept-invitation.ts'
import { copyPicture, importedSettings } from './import-settings.ts'
import type { AccountFields, FormResponse } from './join-form.ts'

/**
 * The limits of attempts to join from one network. They allow a room full of people to join, but not to try many email
 * addresses.
 */
const JOIN_LIMITS: readonly RateRule[] = [
  [60, 30],
  [3600, 300],
]

/** Refuses if there were too many attempts to join from this network. */
export const limitJoining = (call: RealmPageCall): Promise<void> =>
  limitByNetwork(call, 'attempts to join', JOIN_LIMITS)

/** Returns the errors in the name and password that can be found before the password is hashed. */
export async function findAccountErrors(
  { realm, settings }: RealmPageCall,
  { full_name, password }: AccountFields,
  email: string,
): Promise<FormErrors> {
  return {
    ...(await errorOf('full_name', () => requireFullName(full_name))),
    ...(await errorOf('password', () =>
      requireUsablePassword(password, { email, organization: realm.name }, settings),
    )),
  }
}

export async function errorOf(name: string, check: () => unknown): Promise<FormErrors> {
  const checked = await catchRefusal(async () => check())
  return checked instanceof Refusal ? { [name]: checked.message } : {}
}

/**
 * Hashes the password and creates the account, with the settings and the picture of `imported`. Then logs the user in
 * and redirects to the home page; before that, a user who must have a second factor now sets one up.
 */
export async function createAccount(
  call: RealmPageCall,
  { full_name, password, timezone, email_address_visibility }: AccountFields,
  by: 'invitation' | 'sign-up',
  imported: User | null,
  create: (tx: Transaction, account: Omit<NewAccount, 'email'>) => Promise<User>,
): Promise<HttpResponse> {
  const { realm, passwords, settings, transaction, visitor, userAgent } = call
  const zone = await catchRefusal(async () => requireTimezone(timezone))
  const passwordHash = await passwords.hash(password)
  const visibility = Object.values(AddressVisibility).find((one) => String(one) === email_address_visibility)
  const account = {
    fullName: full_name,
    passwordHash,
    timezone: zone instanceof Refusal || zone === '' ? (imported?.timezone ?? '') : zone,
    settings: {
      ...(imported !== null && importedSettings(imported)),
      ...(visibility !== undefined && { email_address_visibility: visibility }),
    },
  }
  const picture = imported === null ? null : await copyPicture(call, imported)
  const { user, opened } = await transaction(async (tx) => {
    const user = await create(tx, account)
    if (picture !== null) await changeAvatar(tx, realm, user, picture)
    if (isSecondFactorDue(user, realm.settings, tx.now)) return { user, opened: null }
    if (visitor !== null) await deleteSession(tx, visitor.session.id)
    await recordAudit(tx, realm.id, 'login', { actorId: user.id, targetId: user.id, by })
    return { user, opened: await openSession(tx, user.id, { isKept: false, userAgent }) }
  })
  if (opened === null)
    return askForSecondFactor(call, user, { by, goal: { kind: 'browser', next: '/', isKept: false } })
  const { session, token } = opened
  return redirect('/', { 'set-cookie': sessionCookie(settings, token, session) })
}

/** Returns a response in which the form shows the refusal, at the field that it concerns. */
export function toFormResponse({ kind, message, extras }: Refusal): FormResponse {
  if (kind.status !== 429) return { status: kind.status, errors: { [fieldOf(kind)]: message } }
  const seconds = Math.ceil(Number(extras['retry-after'] ?? 1))
  const password = t(
    'Too many people are joining right now. Try again in {seconds} {seconds, plural, one {second} other {seconds}}.',
    { seconds },
  )
  return { status: 429, errors: { password }, headers: { 'retry-after': String(seconds) } }
}

function fieldOf(kind: RefusalKind): 'email' | 'full_name' | 'password' {
  if (kind === emailNotAllowed || kind === domainNotAllowed) return 'email'
  return kind === nameNotUnique || fullNameRefusals.some((one) => one === kind) ? 'full_name' : 'password'
}
