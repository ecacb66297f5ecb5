import { z } from 'zod'
import { type Call, endpoint } from '#http/endpoint.ts'
import type { ParamsOf } from '#http/params.ts'
import { refusal } from '#lib/errors.ts'
import {
  emailChangesDisabled,
  nameChangesDisabled,
  requireMayChangeOwnEmail,
  requireMayChangeOwnName,
  requireUser,
} from '#people/access.ts'
import { recordAudit } from '#people/audit.ts'
import { replacePasswordHash } from '#people/password-hashes.ts'
import { passwordRefusals, requireUsablePassword } from '#people/password-rules.ts'
import { deleteKnownNetworks, deleteSessionsOf } from '#people/sessions.ts'
import { invalidTimezone, requireTimezone } from '#people/user-settings.ts'
import { type Actor, fullNameRefusals } from '#people/users.ts'
import { emailRefusals, requestEmailChange } from '../change-email.ts'
import {
  changeUserSettings,
  requireFutureTimes,
  requireSettingValues,
  settingParams,
  settingValueRefusals,
  timedSettingRefusals,
} from '../change-user-settings.ts'
import { changeFullName, changeTimezone, nameNotUnique } from '../change-users.ts'
import {
  currentPasswordNeeded,
  findVerifiedHash,
  hasUsablePassword,
  reauthenticationRequired,
  requireCurrentPassword,
  requireUnchangedPassword,
  resetPasswordAttempts,
  wrongPassword,
} from '../password-checks.ts'

const params = {
  full_name: z.string().optional(),
  email: z
    .string()
    .optional()
    .describe(
      'A link is sent to the new address, which changes the address when it is confirmed. The old address gets a notice. ' +
        'Needs `old_password`, unless you logged in or confirmed the session within the last 10 minutes.',
    ),
  old_password: z.string().default('').describe('Needed to change the password or the address.'),
  new_password: z.string().optional().describe('Logs out all other sessions. API keys stay valid.'),
  timezone: z.string().optional().describe('An IANA time zone, or empty.'),
  ...settingParams,
  presence_hidden_until: settingParams.presence_hidden_until.describe(
    'The UNIX time until which `presence_enabled` is false. 0 clears the time. If a time was set, ' +
      '`presence_enabled` then becomes true, unless the request sets it.',
  ),
}

const noPasswordHere = refusal('BAD_REQUEST', 400, 'You sign in here without a password.', { field: 'new_password' })

const declaration = {
  summary: 'Change your settings',
  who: 'human',
  params,
  refuses: [
    emailChangesDisabled,
    currentPasswordNeeded,
    reauthenticationRequired,
    noPasswordHere,
    wrongPassword,
    ...passwordRefusals,
    invalidTimezone,
    ...settingValueRefusals,
    ...timedSettingRefusals,
    nameChangesDisabled,
    ...fullNameRefusals,
    nameNotUnique,
    ...emailRefusals,
  ],
} as const

export const updateSettings = endpoint({ ...declaration, route: 'PATCH /settings', handle: update })

const legacyDeclaration = { ...declaration, description: 'An old name for `PATCH /settings`.', handle: update } as const

export const updateNotificationSettings = endpoint({ ...legacyDeclaration, route: 'PATCH /settings/notifications' })

export const updateDisplaySettings = endpoint({ ...legacyDeclaration, route: 'PATCH /settings/display' })

async function update(
  call: Call,
  { full_name, email, old_password, new_password, timezone: zone, ...settings }: ParamsOf<typeof params>,
): Promise<object> {
  const { actor, session, presence, transaction } = call
  const { realm } = actor
  const timezone = zone === undefined ? undefined : requireTimezone(zone)
  requireSettingValues(settings)
  requireFutureTimes(settings, call.clock.now())
  const newEmail = email === actor.deliveryEmail ? undefined : email
  if (newEmail !== undefined) requireMayChangeOwnEmail(actor)
  const password = new_password === undefined ? null : await requireNewPassword(call, old_password, new_password)
  // If there is a new password, the old one has already been verified at this point.
  const verified =
    newEmail === undefined || password !== null || hasNoAddress(actor)
      ? { hash: null, parameter: 'old_password' }
      : await requireCurrentPassword(call, { password: old_password, parameter: 'old_password' })
  const board = await presence.forRealm(actor.realmId)

  await transaction(async (tx) => {
    const account = { ...(await requireUser(tx.db, actor, actor.id)), realm }
    if (full_name !== undefined && full_name !== account.fullName) {
      requireMayChangeOwnName(actor)
      await changeFullName(tx, realm, account, full_name)
    }
    if (newEmail !== undefined) {
      await requireUnchangedPassword(tx, account.id, verified)
      await requestEmailChange(tx, realm, account, newEmail)
    }
    if (password !== null) {
      if (!(await replacePasswordHash(tx, account, password.oldHash, password.newHash)))
        throw wrongPassword({ parameter: 'old_password' })
      await recordAudit(tx, realm.id, 'password_changed', { targetId: account.id, by: 'settings' })
      await deleteSessionsOf(tx, account.id, session)
      await deleteKnownNetworks(tx, account.id)
    }
    if (timezone !== undefined) await changeTimezone(tx, realm, account, timezone)
    await changeUserSettings(tx, account, settings, { presence, board })
  })
  if (password === null) return {}
  await resetPasswordAttempts(call, { realmId: actor.realmId, name: actor.deliveryEmail, userId: actor.id })
  return {}
}

/** Returns whether the account is that of a demo organization's owner, who has neither an address nor a password yet. */
const hasNoAddress = ({ deliveryEmail, realm }: Actor) => deliveryEmail === '' && realm.demoEndsAt !== null

/** Verifies the old password, and returns the hashes of the old and the new password. */
async function requireNewPassword(
  call: Call,
  oldPassword: string,
  newPassword: string,
): Promise<{ oldHash: string; newHash: string }> {
  const { actor, passwords } = call
  const { realmId, deliveryEmail: name } = actor
  if (!(await hasUsablePassword(call.db, actor))) throw noPasswordHere()
  const oldHash = await findVerifiedHash(call, { user: actor, name, realmId, password: oldPassword, isLoggedIn: true })
  if (oldHash === null) throw wrongPassword({ parameter: 'old_password' })
  requireUsablePassword(newPassword, { email: name, organization: actor.realm.name }, call.settings)
  return { oldHash, newHash: await passwords.hash(newPassword) }
}
