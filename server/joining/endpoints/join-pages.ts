import { html } from '../../base/html.ts'
import { Refusal, type RefusalKind } from '../../base/refusal.ts'
import type { RateRule } from '../../http/rate-limit.ts'
import { rateLimitHit } from '../../http/refusals.ts'
import type { Answer } from '../../http/wire/exchange.ts'
import { isByEmail } from '../../invitations/invitation.ts'
import type { FormErrors } from '../../pages/form.ts'
import { redirect, showPage } from '../../pages/layout.ts'
import { type CallHere, type PageCall, page } from '../../pages/page.ts'
import { tryTo } from '../../pages/try-to.ts'
import type { Realm } from '../../realms/realm.ts'
import { openSession } from '../../sessions/open-session.ts'
import { endSession } from '../../sessions/queries.ts'
import { sessionCookie } from '../../sessions/session-cookie.ts'
import { emailTaken, emailUnusable } from '../../users/free-address.ts'
import { fullNameRefusals, requireFullName } from '../../users/full-name.ts'
import { complainOfAddress, findJoiningRules } from '../../users/joining-rules.ts'
import { requireUsablePassword } from '../../users/passwords.ts'
import { findUserByDeliveryEmail } from '../../users/queries.ts'
import { requireTimezone } from '../../users/time-zone.ts'
import { nameNotUnique } from '../../users/unique-name.ts'
import { acceptInvitation, invitationDead, noLicences, notAmongDomains, requireAdmitted } from '../accept-invitation.ts'
import { askAgain } from '../ask-again.ts'
import { type Door, findDoor } from '../door.ts'
import { findGifts } from '../gifts.ts'
import { closedDoor, deadEnd, toKnownAccount } from './dead-ends.ts'
import { alreadySignedIn, type JoinFields, joinForm } from './join-form.ts'

/** Attempts to join from one address: enough for a room full of people, too few to try addresses one by one. */
const ATTEMPTS: readonly RateRule[] = [
  [60, 30],
  [3600, 300],
]

/** Wishes for another invitation from one address. */
const WISHES: readonly RateRule[] = [[3600, 20]]

const showInvitation = page({
  route: 'GET /accounts/do_confirm/{key}',
  who: 'anyone here',
  answer: (call, { key }) => show(call, key, 'email'),
})

const showLink = page({
  route: 'GET /join/{key}/',
  who: 'anyone here',
  answer: (call, { key }) => show(call, key, 'link'),
})

/** Looking uses nothing up: scanners of mail open every link. */
async function show(call: CallHere, key: string, kind: 'email' | 'link'): Promise<Answer> {
  const { realm, visitor, db, clock, query, path } = call
  const door = await findDoor(db, realm, key, clock.now())
  if (door === null || isByEmail(door.invitation) !== (kind === 'email')) return deadEnd(realm, null, key)
  if (door.state !== 'pending') return deadEnd(realm, door, key)
  const { email } = door.invitation
  if (email !== null && (await findUserByDeliveryEmail(db, realm.id, email)) !== null) return toKnownAccount(email)
  if (visitor !== null && !query.has('another')) return alreadySignedIn(realm, visitor.actor, path)
  return joinForm(realm, door, await giftsOf(call, door), { key, email: '', full_name: '' })
}

const register = page({
  route: 'POST /accounts/register/',
  who: 'anyone here',
  fields: ['key', 'email', 'full_name', 'password', 'timezone'],
  async answer(call, given) {
    const { realm, db, clock } = call
    const door = await findDoor(db, realm, given.key, clock.now())
    if (door?.state !== 'pending') return deadEnd(realm, door, given.key)
    const joined = await tryTo(() => join(call, realm, door, given))
    return joined instanceof Refusal ? refuse(call, realm, door, given, joined) : joined
  },
})

const askForInvitation = page({
  route: 'POST /accounts/ask_for_invitation/',
  who: 'anyone here',
  fields: ['key'],
  async answer(call, { key }) {
    const { realm } = call
    limit(call, 'ask for an invitation', WISHES)
    await call.transaction((tx) => askAgain(tx, realm, key))
    return showPage({
      heading: 'Your wish was passed on',
      organization: realm.name,
      content: html`<p>If the invitation can be renewed, whoever sent it knows now that you would like to join.</p>\n`,
    })
  },
})

/** Makes the account, signs in with it, and leads home; what is wrong with the form is told all at once. */
async function join(call: PageCall, realm: Realm, door: Door, given: JoinFields): Promise<Answer> {
  limit(call, 'join', ATTEMPTS)
  const { passwords, settings, transaction, visitor } = call
  const email = (door.invitation.email ?? given.email).trim()
  const errors = await findErrors(call, realm, door, given, email)
  if (Object.keys(errors).length > 0)
    return joinForm(realm, door, await giftsOf(call, door), given, { status: 400, errors })

  const zone = await tryTo(async () => requireTimezone(given.timezone))
  const timezone = zone instanceof Refusal ? '' : zone
  const passwordHash = await passwords.hash(given.password)
  const { session, token } = await transaction(async (tx) => {
    const newcomer = { fullName: given.full_name, email, passwordHash, timezone }
    const user = await acceptInvitation(tx, realm.id, given.key, newcomer)
    if (visitor !== null) await endSession(tx, visitor.session.id)
    return openSession(tx, user.id, { isKept: false })
  })
  return redirect('/', { 'set-cookie': sessionCookie(settings, token, session) })
}

/** What can be told before any work is done. An address that is not theirs to choose is not theirs to mend. */
async function findErrors(
  { db }: PageCall,
  realm: Realm,
  { invitation }: Door,
  given: JoinFields,
  email: string,
): Promise<FormErrors> {
  const rules = await findJoiningRules(db, realm)
  const complaint = isByEmail(invitation) ? null : complainOfAddress(rules, email)
  return {
    ...(complaint !== null && { email: complaint }),
    ...(await errorOf('email', () => requireAdmitted(invitation, email))),
    ...(await errorOf('full_name', () => requireFullName(given.full_name))),
    ...(await errorOf('password', () => requireUsablePassword(given.password, email))),
  }
}

async function errorOf(name: keyof JoinFields, check: () => unknown): Promise<FormErrors> {
  const checked = await tryTo(async () => check())
  return checked instanceof Refusal ? { [name]: checked.message } : {}
}

/** Shows the form again with what was wrong; where no other answer would help, a page that says so. */
async function refuse(
  call: PageCall,
  realm: Realm,
  door: Door,
  given: JoinFields,
  { kind, message, extras }: Refusal,
): Promise<Answer> {
  const { email } = door.invitation
  if (kind === invitationDead)
    return deadEnd(realm, await findDoor(call.db, realm, given.key, call.clock.now()), given.key)
  if (kind === emailTaken) return toKnownAccount(email ?? given.email.trim())
  if (kind === noLicences || (kind === emailUnusable && email !== null)) return closedDoor(realm, door, message)

  const gifts = await giftsOf(call, door)
  if (kind.status === 429) {
    const seconds = Math.ceil(Number(extras['retry-after'] ?? 1))
    const errors = { password: `Too many people are joining just now. Try again in ${seconds} seconds.` }
    return joinForm(realm, door, gifts, given, { status: 429, errors, headers: { 'retry-after': String(seconds) } })
  }
  const errors = { [fieldOf(kind)]: message }
  return joinForm(realm, door, gifts, given, { status: kind.status, errors })
}

/** The field that a refusal speaks of. */
function fieldOf(kind: RefusalKind): keyof JoinFields {
  if (kind === emailUnusable || kind === notAmongDomains) return 'email'
  return kind === nameNotUnique || fullNameRefusals.some((one) => one === kind) ? 'full_name' : 'password'
}

function limit({ rateLimiter, settings, clock, remoteAddress }: PageCall, what: string, rules: readonly RateRule[]) {
  if (!settings.RATE_LIMITING) return
  const verdict = rateLimiter.take(`${what} ${remoteAddress}`, rules, clock.now())
  if (!verdict.allowed) throw rateLimitHit({ retryAfter: verdict.retryAfter })
}

const giftsOf = ({ db, clock }: PageCall, { inviter, invitation }: Door) =>
  findGifts(db, inviter, invitation, clock.now())

export const joinPages = [showInvitation, showLink, register, askForInvitation]
