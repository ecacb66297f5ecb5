import { z } from 'zod'
import { type Call, endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors.ts'
import {
  insufficientPermission,
  mustBeAdministrator,
  mustBeOwner,
  noSuchUser,
  requireAdministrator,
  requireMayManage,
  requireOwnerForOwner,
  requireUser,
} from '#people/access.ts'
import {
  countRecoveryCodes,
  deleteTotp,
  deleteTrustedBrowsers,
  findPasskeys,
  findPeopleWithoutFactor,
  findTotp,
  findTrustedBrowsers,
  hasSecondFactor,
  isSecondFactorDue,
  lockSecondFactors,
  MAX_PASSKEYS,
  replaceRecoveryCodes,
  saveTotp,
  secondFactorDueAt,
  secondFactorGraceBeganAt,
  takeCode,
} from '#people/second-factors.ts'
import { confirmSession } from '#people/sessions.ts'
import { type Actor, isBot, type User } from '#people/users.ts'
import type { Realm } from '#realms/realm.ts'
import { filledText } from '#realms/realm-settings.ts'
import { MAX_LENGTH } from '#rules/shared-limits.ts'
import type { Transaction } from '#storage/storage.ts'
import {
  hasUsablePassword,
  requireCurrentPassword,
  requirePasswordOfSession,
  requireUnchangedPassword,
  sessionPassword,
  sessionPasswordRefusals,
} from '../password-checks.ts'
import {
  afterAddingFactor,
  afterRemovingFactor,
  notifyFactorChange,
  resetSecondFactors,
} from '../second-factor-changes.ts'
import { limitSecondFactors, logWrongFactor, resetSecondFactorLimit } from './attempts.ts'
import {
  authenticationOptions,
  registrationOptions,
  supportsPasskeys,
  verifyPasskey,
  verifyRegistration,
} from './passkeys.ts'
import { findSetupStep, readTotpSetup, savePasskey, startTotpSetup } from './set-up.ts'

const wrongCode = refusal('BAD_REQUEST', 400, 'This code is wrong, or it was used before.', { field: 'code' })
const wrongPasskey = refusal('BAD_REQUEST', 400, 'The passkey was not accepted. Try again.', { field: 'passkey' })
const setupExpired = refusal('BAD_REQUEST', 400, 'This took too long. Start again with a new QR code.', {
  field: 'key',
})
const hasTotp = refusal('BAD_REQUEST', 400, 'You already have an authenticator app. Remove it first.')
const noTotp = refusal('BAD_REQUEST', 400, 'You have no authenticator app.')
const noFactor = refusal('BAD_REQUEST', 400, 'You have not set up two-step login.')
const factorRequired = refusal(
  'BAD_REQUEST',
  400,
  'Your organization requires two-step login. Add a passkey or an app before you remove your last one.',
)
const noSuchPasskey = refusal('BAD_REQUEST', 400, 'No such passkey')
const noSuchBrowser = refusal('BAD_REQUEST', 400, 'No such browser')
const tooManyPasskeys = refusal('BAD_REQUEST', 400, 'You have {max} passkeys. Remove one first.')
const noPasskeys = refusal('BAD_REQUEST', 400, 'Passkeys need an address that starts with https://.')

const password = z
  .string()
  .default('')
  .describe('Your current password. Not needed if this session logged in or was confirmed within the last 10 minutes.')
const logsOutOthers = z.boolean().default(false).describe('Also log out all other browsers.')
const recoveryCodes = z
  .array(z.string())
  .nullable()
  .describe('Recovery codes, if this is the first factor. They are returned only here. Each works once.')

function toDueTime(user: User, realm: Realm): number | null {
  const dueAt = secondFactorDueAt(user, realm.settings)
  return dueAt === null ? null : Math.floor(dueAt)
}

const getSecondFactors = endpoint({
  route: 'GET /users/me/second_factors',
  summary: 'List your second factors',
  description: 'The authenticator app and the passkeys of your account, and the browsers that are not asked for them.',
  who: 'human',
  returns: {
    has_password: z.boolean().describe('False if the organization does not use passwords, or your account has none.'),
    due_at: z
      .int()
      .nullable()
      .describe('The time from which the organization requires a second factor of you; null if it does not.'),
    supports_passkeys: z.boolean().describe('False if browsers make no passkeys for the address of the organization.'),
    totp_added_at: z.int().nullable().describe('Null without an authenticator app.'),
    passkeys: z.array(
      z.strictObject({
        id: z.int(),
        name: z.string(),
        created_at: z.int(),
        last_used_at: z.int().nullable(),
      }),
    ),
    recovery_codes_left: z.int(),
    trusted_browsers: z.array(
      z.strictObject({ id: z.int(), browser: z.string(), created_at: z.int(), expires_at: z.int() }),
    ),
  },
  async handle({ db, actor, clock, settings }) {
    const totp = await findTotp(db, actor.id)
    const passkeys = await findPasskeys(db, actor.id)
    const browsers = await findTrustedBrowsers(db, actor.id, clock.now())
    return {
      has_password: await hasUsablePassword(db, actor),
      due_at: toDueTime(actor, actor.realm),
      supports_passkeys: supportsPasskeys({ settings }, actor.realm),
      totp_added_at: totp === null ? null : Math.floor(totp.createdAt),
      passkeys: passkeys.map(({ id, name, createdAt, lastUsedAt }) => ({
        id,
        name,
        created_at: Math.floor(createdAt),
        last_used_at: lastUsedAt === null ? null : Math.floor(lastUsedAt),
      })),
      recovery_codes_left: await countRecoveryCodes(db, actor.id),
      trusted_browsers: browsers.map(({ id, browser, createdAt, expiresAt }) => ({
        id,
        browser,
        created_at: Math.floor(createdAt),
        expires_at: Math.floor(expiresAt),
      })),
    }
  },
})

const startTotp = endpoint({
  route: 'POST /users/me/totp/secret',
  summary: 'Start to set up an authenticator app',
  description:
    'Stores nothing. Show `address` as a QR code, and send `key` with a code of the app to `POST /users/me/totp`.',
  who: 'human',
  holdsSecrets: true,
  returns: { secret: z.string(), address: z.string().describe('The otpauth address.'), key: z.string() },
  handle: (call) => startTotpSetup(call, call.actor.realm, call.actor),
})

const addTotp = endpoint({
  route: 'POST /users/me/totp',
  summary: 'Add an authenticator app',
  description:
    'From then on, logging in needs a code of the app, and the account gets no API keys with its password alone.',
  who: 'human',
  holdsSecrets: true,
  params: {
    key: z.string().describe('The key that `POST /users/me/totp/secret` returned.'),
    code: z.string().describe('The code that the app shows now.'),
    password,
    log_out_others: logsOutOthers,
  },
  returns: { recovery_codes: recoveryCodes },
  refuses: [setupExpired, wrongCode, hasTotp, ...sessionPasswordRefusals],
  async handle(call, given) {
    const { actor, clock, transaction, session } = call
    const verified = await requireCurrentPassword(call, { password: given.password, parameter: 'password' })
    const totp = readTotpSetup(call, actor, given.key)
    if (totp === null) throw setupExpired()
    const lastStep = await findSetupStep(totp, given.code, clock.now())
    if (lastStep === null) throw wrongCode()
    const codes = await transaction(async (tx) => {
      await requireUnchangedPassword(tx, actor.id, verified)
      await lockSecondFactors(tx, actor.id)
      if ((await findTotp(tx.db, actor.id)) !== null) throw hasTotp()
      await saveTotp(tx, call, actor.id, { secret: totp, lastStep })
      return afterAddingFactor(tx, call, actor, {
        change: 'totp added',
        session,
        logsOutOthers: given.log_out_others,
      })
    })
    return { recovery_codes: codes }
  },
})

/** Changes the second factors of the actor, who has just proved who they are. */
async function changeFactors<Result>(
  call: Call,
  given: { password: string },
  change: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const verified = await requireCurrentPassword(call, { password: given.password, parameter: 'password' })
  return call.transaction(async (tx) => {
    await requireUnchangedPassword(tx, call.actor.id, verified)
    await lockSecondFactors(tx, call.actor.id)
    return change(tx)
  })
}

const listWithoutFactor = endpoint({
  route: 'GET /realm/second_factors',
  summary: 'List the people without a second factor',
  description: 'The active people of the organization, ordered by id. Requires an administrator.',
  who: 'human',
  returns: {
    users_without: z.array(
      z.strictObject({
        user_id: z.int(),
        due_at: z.int().nullable().describe('The time from which the user must have one; null if they need not.'),
        grace_began_at: z
          .int()
          .nullable()
          .describe('The time at which the user was required to have one for the first time; null if they never were.'),
      }),
    ),
  },
  refuses: [mustBeAdministrator],
  async handle({ db, actor }) {
    requireAdministrator(actor)
    const people = await findPeopleWithoutFactor(db, actor.realmId)
    const found = people.map((user) => {
      const beganAt = secondFactorGraceBeganAt(user, actor.realm.settings)
      return {
        user_id: user.id,
        due_at: toDueTime(user, actor.realm),
        grace_began_at: beganAt === null ? null : Math.floor(beganAt),
      }
    })
    return { users_without: found.toSorted((one, other) => one.user_id - other.user_id) }
  },
})

/** Refuses the removal of the last factor of a person who must have one now. */
async function requireRemainingFactor(tx: Transaction, actor: Actor): Promise<void> {
  if (!isSecondFactorDue(actor, actor.realm.settings, tx.now) || (await hasSecondFactor(tx.db, actor.id))) return
  throw factorRequired()
}

const removeTotp = endpoint({
  route: 'DELETE /users/me/totp',
  summary: 'Remove your authenticator app',
  description:
    'Without another factor, the recovery codes are deleted, too. The last factor cannot be removed while the organization ' +
    'requires one and the days of grace are over.',
  who: 'human',
  params: { password },
  refuses: [noTotp, factorRequired, ...sessionPasswordRefusals],
  async handle(call, given) {
    const { actor } = call
    await changeFactors(call, given, async (tx) => {
      if ((await findTotp(tx.db, actor.id)) === null) throw noTotp()
      await deleteTotp(tx, actor.id)
      await requireRemainingFactor(tx, actor)
      await afterRemovingFactor(tx, actor, 'totp removed')
    })
    return {}
  },
})

const renewRecoveryCodes = endpoint({
  route: 'POST /users/me/recovery_codes',
  summary: 'Replace your recovery codes',
  who: 'human',
  holdsSecrets: true,
  params: { password },
  returns: { recovery_codes: z.array(z.string()).describe('They are returned only here. Each works once.') },
  refuses: [noFactor, ...sessionPasswordRefusals],
  async handle(call, given) {
    const { actor } = call
    const codes = await changeFactors(call, given, async (tx) => {
      if (!(await hasSecondFactor(tx.db, actor.id))) throw noFactor()
      await notifyFactorChange(tx, actor, 'recovery codes replaced')
      return replaceRecoveryCodes(tx, call, actor.id)
    })
    return { recovery_codes: codes }
  },
})

const challengePasskey = endpoint({
  route: 'POST /users/me/passkeys/challenge',
  summary: 'Start to add or use a passkey',
  description:
    'Returns the options for `navigator.credentials.create` or `get`. The challenge in them expires after five minutes.',
  who: 'human',
  params: { purpose: z.enum(['register', 'confirm']) },
  returns: { options: z.record(z.string(), z.unknown()) },
  refuses: [noPasskeys],
  async handle(call, { purpose }) {
    const { db, actor } = call
    if (!supportsPasskeys(call, actor.realm)) throw noPasskeys()
    const passkeys = await findPasskeys(db, actor.id)
    const options =
      purpose === 'register'
        ? await registrationOptions(call, actor.realm, actor, passkeys)
        : await authenticationOptions(call, actor.realm, ['confirm', actor.id], passkeys)
    return { options }
  },
})

const passkeyName = filledText(MAX_LENGTH.apiKeyName).describe('A name by which you recognize the passkey.')

const addPasskey = endpoint({
  route: 'POST /users/me/passkeys',
  summary: 'Add a passkey',
  description:
    'From then on, logging in needs the passkey or another second factor, and the account gets no API keys with its password alone.',
  who: 'human',
  holdsSecrets: true,
  params: {
    passkey: z.string().describe('The response of the browser as JSON.'),
    name: passkeyName,
    password,
    log_out_others: logsOutOthers,
  },
  returns: { id: z.int(), recovery_codes: recoveryCodes },
  refuses: [wrongPasskey, tooManyPasskeys, noPasskeys, ...sessionPasswordRefusals],
  async handle(call, given) {
    const { actor, session } = call
    const { name } = given
    const found = await verifyRegistration(call, actor.realm, actor, given.passkey)
    if (found === null) throw wrongPasskey()
    const { take, ...passkey } = found
    return changeFactors(call, given, async (tx) => {
      const known = await findPasskeys(tx.db, actor.id)
      if (known.length >= MAX_PASSKEYS) throw tooManyPasskeys({ max: MAX_PASSKEYS })
      if (!(await take(tx))) throw wrongPasskey()
      const id = await savePasskey(tx, actor.id, passkey, name)
      if (id === null) throw wrongPasskey()
      const added = { change: 'passkey added', name, session, logsOutOthers: given.log_out_others } as const
      return { id, recovery_codes: await afterAddingFactor(tx, call, actor, added) }
    })
  },
})

const renamePasskey = endpoint({
  route: 'PATCH /users/me/passkeys/{passkey_id}',
  summary: 'Rename a passkey',
  who: 'human',
  params: { name: passkeyName },
  refuses: [noSuchPasskey],
  async handle({ transaction, actor }, { passkey_id, name }) {
    await transaction(async (tx) => {
      const changed = await tx
        .updateTable('passkeys')
        .set({ name })
        .where('id', '=', passkey_id)
        .where('userId', '=', actor.id)
        .returning('userId')
        .execute()
      if (changed.length === 0) throw noSuchPasskey()
    })
    return {}
  },
})

const removePasskey = endpoint({
  route: 'DELETE /users/me/passkeys/{passkey_id}',
  summary: 'Remove a passkey',
  description:
    'Without another factor, the recovery codes are deleted, too. Refused like the removal of an authenticator app.',
  who: 'human',
  params: { password },
  refuses: [noSuchPasskey, factorRequired, ...sessionPasswordRefusals],
  async handle(call, { passkey_id, ...given }) {
    const { actor } = call
    await changeFactors(call, given, async (tx) => {
      const [removed] = await tx
        .deleteFrom('passkeys')
        .where('id', '=', passkey_id)
        .where('userId', '=', actor.id)
        .returning(['name', 'userId'])
        .execute()
      if (removed === undefined) throw noSuchPasskey()
      await requireRemainingFactor(tx, actor)
      await afterRemovingFactor(tx, actor, 'passkey removed', removed.name)
    })
    return {}
  },
})

const forgetBrowser = endpoint({
  route: 'DELETE /users/me/trusted_browsers/{browser_id}',
  summary: 'Ask for the second factor in a browser again',
  who: 'human',
  refuses: [noSuchBrowser],
  async handle({ transaction, actor }, { browser_id }) {
    await transaction(async (tx) => {
      const deleted = await tx
        .deleteFrom('trustedBrowsers')
        .where('id', '=', browser_id)
        .where('userId', '=', actor.id)
        .returning('id')
        .execute()
      if (deleted.length === 0) throw noSuchBrowser()
    })
    return {}
  },
})

const forgetBrowsers = endpoint({
  route: 'DELETE /users/me/trusted_browsers',
  summary: 'Ask for the second factor in all browsers again',
  who: 'human',
  async handle({ transaction, actor }) {
    await transaction((tx) => deleteTrustedBrowsers(tx, actor.id))
    return {}
  },
})

const notASession = refusal('BAD_REQUEST', 400, 'Only a browser can be confirmed.')

const confirm = endpoint({
  route: 'POST /users/me/confirmation',
  summary: 'Confirm who you are with a second factor',
  description: 'For ten minutes, requests of this session that need the current password are then accepted without it.',
  who: 'human',
  params: {
    code: z.string().default('').describe('A code of your authenticator app, or a recovery code.'),
    passkey: z.string().default('').describe('The response of the browser to a challenge for `confirm`, as JSON.'),
  },
  refuses: [notASession, wrongCode, wrongPasskey],
  async handle(call, { code, passkey }) {
    const { actor, session, transaction, secret } = call
    if (session === null) throw notASession()
    await limitSecondFactors(call, actor)
    const proved = passkey === '' ? null : await verifyPasskey(call, actor.realm, ['confirm', actor.id], passkey)
    const isRight = await transaction(async (tx) => {
      await lockSecondFactors(tx, actor.id)
      const kind = proved === null ? await takeCode(tx, secret, actor.id, code) : null
      if (kind === 'recovery code') await notifyFactorChange(tx, actor, 'recovery code used')
      const isTaken = proved === null ? kind !== null : await proved.take(tx)
      if (isTaken) await confirmSession(tx, session)
      return isTaken
    })
    if (!isRight) {
      logWrongFactor(call, actor)
      throw passkey === '' ? wrongCode() : wrongPasskey()
    }
    await resetSecondFactorLimit(call, actor)
    return {}
  },
})

const resetSecondFactor = endpoint({
  route: 'DELETE /users/{user_id}/second_factors',
  summary: "Remove a user's second factors",
  description:
    'For users who have lost their authenticator app, passkeys and recovery codes. They can then log in with their password alone. ' +
    'Requires an administrator, or an owner to reset those of an owner.',
  who: 'human',
  params: { password: sessionPassword },
  refuses: [noSuchUser, insufficientPermission, mustBeOwner, ...sessionPasswordRefusals],
  async handle(call, { user_id, ...given }) {
    const { actor, transaction } = call
    const verified = await requirePasswordOfSession(call, given.password)
    await transaction(async (tx) => {
      await requireUnchangedPassword(tx, actor.id, verified)
      const user = await requireUser(tx.db, actor, user_id)
      await requireMayManage(tx.db, actor, user)
      if (isBot(user)) throw noSuchUser()
      requireOwnerForOwner(actor, user)
      await resetSecondFactors(tx, user.id, actor)
    })
    return {}
  },
})

export const secondFactorEndpoints = [
  getSecondFactors,
  startTotp,
  addTotp,
  removeTotp,
  renewRecoveryCodes,
  challengePasskey,
  addPasskey,
  renamePasskey,
  removePasskey,
  forgetBrowsers,
  forgetBrowser,
  confirm,
  resetSecondFactor,
  listWithoutFactor,
]
