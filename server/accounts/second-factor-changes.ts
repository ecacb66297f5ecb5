import { z } from 'zod'
import { type Clock, SECONDS_PER_DAY } from '#lib/clock.ts'
import { type Job, openPeriodicTask } from '#lib/jobs.ts'
import type { Log } from '#lib/log.ts'
import { t } from '#lib/text.ts'
import { queueMail, queueMails } from '#mail/outbox.ts'
import type { EmailTemplates, RenderedEmail, TemplateContext } from '#mail/render-email.ts'
import { recordAudit } from '#people/audit.ts'
import {
  countRecoveryCodes,
  deleteRemainsOfFactors,
  deleteSecondFactors,
  deleteTrustedBrowsers,
  findPeopleWithoutFactor,
  hasSecondFactor,
  replaceRecoveryCodes,
  secondFactorDueAt,
} from '#people/second-factors.ts'
import { deleteSessionsOf, type Session } from '#people/sessions.ts'
import { findUser } from '#people/user-queries.ts'
import type { User } from '#people/users.ts'
import { findRealm } from '#realms/queries.ts'
import type { Realm } from '#realms/realm.ts'
import type { Storage, Transaction } from '#storage/storage.ts'
import { fillTemplate, formatTime, ifItWasNotYou } from './account-emails.ts'

// The consequences of a changed second factor: recovery codes with the first one, forgotten browsers, closed sessions,
// and an email about each change, because the person at the browser may not be the user. Two emails to people who must
// have one and have none: when the requirement begins for them, and shortly before the days of grace end.

const SECOND_FACTOR_TEMPLATE = 'second-factor-changed'
const REQUIRED_TEMPLATE = 'second-factor-required'

const factorChange = z.object({
  userId: z.int(),
  change: z.enum([
    'totp added',
    'totp removed',
    'passkey added',
    'passkey removed',
    'recovery codes replaced',
    'recovery code used',
    'reset',
  ]),
  /** The name of the passkey, or the user who reset the factors; null for all other changes and for the operator. */
  name: z.string().nullable(),
})

export type FactorChange = z.infer<typeof factorChange>['change']

/** Emails the user about a change of their second factors, and records it. */
export async function notifyFactorChange(
  tx: Transaction,
  user: User,
  change: FactorChange,
  name: string | null = null,
): Promise<void> {
  const about = { targetId: user.id }
  if (change === 'reset') await recordAudit(tx, user.realmId, 'second_factor_reset', about)
  else if (change !== 'recovery code used')
    await recordAudit(tx, user.realmId, 'second_factor_changed', { ...about, by: change })
  await queueMail(tx, {
    realmId: user.realmId,
    recipient: user.deliveryEmail,
    letter: SECOND_FACTOR_TEMPLATE,
    data: { userId: user.id, change, name },
  })
}

/** Returns the text of the email; `isHelp` is true for changes that lead to the settings, where they can be undone. */
function describe({ change, name }: z.infer<typeof factorChange>, left: number): { subject: string; text: string } {
  switch (change) {
    case 'totp added':
      return { subject: t('An authenticator app was added'), text: t('Logging in now needs a code from this app.') }
    case 'totp removed':
      return { subject: t('An authenticator app was removed'), text: t('Its codes no longer work.') }
    case 'passkey added':
      return {
        subject: t('A passkey was added'),
        text: t('The passkey “{name}” can now be used to log in.', { name: name ?? '' }),
      }
    case 'passkey removed':
      return {
        subject: t('A passkey was removed'),
        text: t('The passkey “{name}” can no longer be used to log in.', { name: name ?? '' }),
      }
    case 'recovery codes replaced':
      return { subject: t('New recovery codes'), text: t('Your earlier recovery codes no longer work.') }
    case 'recovery code used':
      return {
        subject: t('A recovery code was used'),
        text: t(
          'Someone, probably you, logged in with a recovery code. {left, plural, one {# code is} other {# codes are}} left.',
          { left },
        ),
      }
    case 'reset':
      return {
        subject: t('Two-step login was turned off'),
        text:
          name === null
            ? t('The operator of the server removed your authenticator app, passkeys and recovery codes.')
            : t('{name} removed your authenticator app, passkeys and recovery codes.', { name }),
      }
  }
}

export const secondFactorTemplates: EmailTemplates = {
  [REQUIRED_TEMPLATE]: requiredEmail,
  async [SECOND_FACTOR_TEMPLATE](data, context) {
    const change = factorChange.parse(data)
    const left = await countRecoveryCodes(context.db, change.userId)
    const { subject, text } = describe(change, left)
    return fillTemplate(context, change.userId, ({ realm, url, usesPasswords }) => ({
      subject: t('{change} at {realm}', { change: subject, realm }),
      blocks: [
        t('This is about your account at {url}.', { url }),
        text,
        ...ifItWasNotYou(
          { usesPasswords, url },
          t('If this was not you, choose a new password now, which logs out all browsers. Then check your settings:'),
        ),
        { button: t('Open security settings'), url: `${url}/settings/security` },
      ],
    }))
  },
}

const requiredNotice = z.object({ userId: z.int(), kind: z.enum(['required', 'due soon']) })

type NoticeKind = z.infer<typeof requiredNotice>['kind']

/** Renders the email about the requirement. Returns null if the user has a second factor meanwhile, or needs none. */
async function requiredEmail(data: unknown, context: TemplateContext): Promise<RenderedEmail | null> {
  const { userId, kind } = requiredNotice.parse(data)
  const user = await findUser(context.db, userId)
  const realm = user === null ? null : await findRealm(context.db, user.realmId)
  if (user === null || realm === null || (await hasSecondFactor(context.db, userId))) return null
  const dueAt = secondFactorDueAt(user, realm.settings)
  if (dueAt === null) return null
  return fillTemplate(context, userId, ({ realm: name, url }) => ({
    subject:
      kind === 'required'
        ? t('Set up two-step login at {realm}', { realm: name })
        : t('Two days left to set up two-step login at {realm}', { realm: name }),
    blocks: [
      t('{realm} requires two-step login: an authenticator app or a passkey in addition to your password.', {
        realm: name,
      }),
      dueAt > context.now
        ? t('Set it up by {time}. After that, you must set it up before you can use your account again.', {
            time: formatTime(user, dueAt),
          })
        : t('You set it up when you log in the next time.'),
      { button: t('Open security settings'), url: `${url}/settings/security` },
    ],
  }))
}

/** The time before the end of the days of grace at which people get the second email. */
const REMINDER_TIME = 2 * SECONDS_PER_DAY

/** Returns the email about the requirement that the user should have got by now; null if there is none. */
function noticeDue(user: User, { settings }: Realm, now: number): NoticeKind | null {
  const dueAt = secondFactorDueAt(user, settings)
  if (dueAt === null) return null
  const isReminder = dueAt > now && dueAt - now <= REMINDER_TIME
  return isReminder && settings.second_factor_grace_days * SECONDS_PER_DAY > REMINDER_TIME ? 'due soon' : 'required'
}

/** Seconds between two runs of the job. */
const RUN_INTERVAL = 3600

/** The maximum number of emails that one transaction queues. */
const BATCH = 200

/** Opens the job that queues the emails about the requirement of a second factor. A user gets each of them once. */
export function openSecondFactorMailJob({ storage, clock, log }: { storage: Storage; clock: Clock; log: Log }): Job {
  const { db, transaction, isLeader } = storage
  const { run, stop, isStopped, history } = openPeriodicTask({
    clock,
    work: queueAll,
    isResponsible: isLeader,
    onFailure: (error) => log.error({ err: error }, 'Failed to queue emails about required second factors'),
  })

  async function queueAll(): Promise<number> {
    const rows = await db
      .selectFrom('realms')
      .select('id')
      .where('deactivatedAt', 'is', null)
      .where('settings', 'like', '%second_factor_required_for%')
      .execute()
    for (const { id } of rows) {
      const realm = await findRealm(db, id)
      if (realm !== null && realm.settings.second_factor_required_for !== 'nobody') await queueIn(realm)
    }
    return clock.now() + RUN_INTERVAL
  }

  async function queueIn(realm: Realm): Promise<void> {
    const now = clock.now()
    const sent = await db
      .selectFrom('secondFactorNotices')
      .innerJoin('users', 'users.id', 'secondFactorNotices.userId')
      .select(['userId', 'kind'])
      .where('realmId', '=', realm.id)
      .execute()
    const known = new Set(sent.map(({ userId, kind }) => `${userId} ${kind}`))
    const notices = (await findPeopleWithoutFactor(db, realm.id)).flatMap((user) => {
      const kind = noticeDue(user, realm, now)
      return kind === null || known.has(`${user.id} ${kind}`) ? [] : [{ user, kind }]
    })
    for (let start = 0; start < notices.length && !isStopped() && isLeader(); start += BATCH)
      await transaction((tx) => queueNotices(tx, notices.slice(start, start + BATCH)))
  }

  void run()
  return { wake: () => void run(), settled: run, close: stop, history }
}

/** Queues those of the emails that were not queued before. */
async function queueNotices(tx: Transaction, notices: readonly { user: User; kind: NoticeKind }[]): Promise<void> {
  const saved = await tx
    .insertInto('secondFactorNotices')
    .values(notices.map(({ user, kind }) => ({ userId: user.id, kind })))
    .onConflict((on) => on.doNothing())
    .returning(['userId', 'kind'])
    .execute()
  const isNew = new Set(saved.map(({ userId, kind }) => `${userId} ${kind}`))
  queueMails(
    tx,
    notices
      .filter(({ user, kind }) => isNew.has(`${user.id} ${kind}`))
      .map(({ user: { id, realmId, deliveryEmail }, kind }) => ({
        realmId,
        recipient: deliveryEmail,
        letter: REQUIRED_TEMPLATE,
        data: { userId: id, kind },
      })),
  )
}

type Keys = Parameters<typeof replaceRecoveryCodes>[1]

/**
 * Does what follows from a new factor: forgets the trusted browsers, closes the other sessions if the user wants that,
 * and emails the user. Returns the recovery codes that come with the first factor; null if there are some already.
 */
export async function afterAddingFactor(
  tx: Transaction,
  keys: Keys,
  user: User,
  {
    session,
    logsOutOthers,
    ...added
  }: {
    change: FactorChange
    name?: string
    session: Session | null
    logsOutOthers: boolean
  },
): Promise<string[] | null> {
  await deleteTrustedBrowsers(tx, user.id)
  if (logsOutOthers) await deleteSessionsOf(tx, user.id, session)
  await notifyFactorChange(tx, user, added.change, added.name)
  return (await countRecoveryCodes(tx.db, user.id)) > 0 ? null : replaceRecoveryCodes(tx, keys, user.id)
}

/** Does what follows from the removal of a factor. */
export async function afterRemovingFactor(
  tx: Transaction,
  user: User,
  change: FactorChange,
  name: string | null = null,
): Promise<void> {
  await deleteRemainsOfFactors(tx, user.id)
  await notifyFactorChange(tx, user, change, name)
}

/**
 * Removes all second factors of a user who has lost them, and emails the user. `resetter` is null for the operator.
 * Returns false if there were none.
 */
export async function resetSecondFactors(
  tx: Transaction,
  userId: number,
  resetter: Pick<User, 'fullName'> | null,
): Promise<boolean> {
  const user = await findUser(tx.db, userId)
  if (user === null || !(await deleteSecondFactors(tx, userId))) return false
  await notifyFactorChange(tx, user, 'reset', resetter?.fullName ?? null)
  return true
}
