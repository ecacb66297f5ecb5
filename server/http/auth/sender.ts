import { mapMaybePromise } from '#lib/deferred.ts'
import { Refusal } from '#lib/errors.ts'
import { hashSecret } from '#lib/secrets.ts'
import { findSessionByHash, readSessionToken } from '#people/sessions.ts'
import { type Actor, personIdOf } from '#people/users.ts'
import { BODY_BYTES_PER_UNIT } from '../budgets.ts'
import { limitRate, requireRate, requireSessionOf, requireWorkBudget } from '../caller.ts'
import type { Services } from '../endpoint.ts'
import type { HttpRequest, ResponseHeaders } from '../http-types.ts'
import { networkOf } from '../rate-limits.ts'
import { readApiPath } from './api-path.ts'
import { authenticate } from './authenticate.ts'

/** The services that find a sender, and that limit and charge their bodies. */
export type SenderServices = Pick<
  Services,
  'db' | 'transaction' | 'settings' | 'clock' | 'rateLimiter' | 'workBudget' | 'secret'
>

/** The head of a request, before its body has been read. */
type Head = Pick<HttpRequest, 'method' | 'path' | 'host' | 'headers' | 'remoteAddress'>

/**
 * The sender of a request, by its headers alone. The key of its limits is the id of the user, with their bots, or the
 * name of the network if there are no valid credentials. `refusal` says why an API request has none; it is null outside
 * the API.
 */
export type Sender =
  | { readonly key: number; readonly actor: Actor }
  | { readonly key: string; readonly actor: null; readonly refusal: Refusal | null }

/** Returns the sender of a request. Counts nothing, and does not extend the session. */
export function findSender(services: SenderServices, head: Head): Sender | Promise<Sender> {
  const apiPath = readApiPath(head.path)
  if (apiPath === null) return anonymous(head, null)
  try {
    const found: Actor | Promise<Actor> =
      apiPath.authMethod === 'session' ? findSessionActor(services, head) : findKeyActor(services, head)
    if (found instanceof Promise) return found.then(known, (error) => unknown(head, error))
    return known(found)
  } catch (error) {
    return unknown(head, error)
  }
}

const known = (actor: Actor): Sender => ({ key: personIdOf(actor), actor })

function unknown(head: Head, error: unknown): Sender {
  if (error instanceof Refusal) return anonymous(head, error)
  throw error
}

const anonymous = ({ remoteAddress }: Head, refusal: Refusal | null): Sender => ({
  key: `bodies from ${networkOf(remoteAddress)}`,
  actor: null,
  refusal,
})

function findKeyActor({ db }: SenderServices, { headers: { authorization }, host }: Head): Actor | Promise<Actor> {
  return mapMaybePromise(authenticate(db, { authorization, host, allowsWebhookBots: true }), ({ actor }) => actor)
}

async function findSessionActor(services: SenderServices, head: Head): Promise<Actor> {
  return (await requireSessionOf(services, head)).actor
}

/**
 * Returns whether the sender has recently caused so much work that the requests of others come first. Returns false if
 * finding the sender needs a query.
 */
export function isBusySender(services: SenderServices, head: Head): boolean {
  const { settings, workBudget, clock } = services
  if (!settings.RATE_LIMITING) return false
  const key =
    readApiPath(head.path)?.authMethod === 'session' ? findSessionUser(services, head) : findKey(services, head)
  return key !== null && workBudget.isBusy(key, settings.RATE_LIMITING_WORK, clock.now())
}

function findKey(services: SenderServices, head: Head): Sender['key'] | null {
  const sender = findSender(services, head)
  if (!(sender instanceof Promise)) return sender.key
  sender.catch(() => {})
  return null
}

function findSessionUser({ db, settings }: SenderServices, { headers }: Head): number | null {
  const token = readSessionToken(settings, headers.cookie)
  if (token === null) return null
  const session = findSessionByHash(db, hashSecret(token))
  if (!(session instanceof Promise)) return session?.userId ?? null
  session.catch(() => {})
  return null
}

/**
 * Refuses a request whose sender has used up their requests or their work, before its body is read. Does not count the
 * request.
 */
export function requireWithinLimits(services: SenderServices, sender: Sender, headers: ResponseHeaders): void {
  if (!services.settings.RATE_LIMITING) return
  requireWorkBudget(services, sender.key, sender.actor === null ? null : headers)
  if (sender.actor !== null) requireRate(services, sender.actor, headers)
}

/** Charges the sender for bytes of a body, whether or not the request succeeds. */
export function chargeBody({ settings, workBudget, clock }: SenderServices, { key }: Sender, bytes: number): void {
  if (!settings.RATE_LIMITING) return
  workBudget.charge(key, bytes / BODY_BYTES_PER_UNIT, settings.RATE_LIMITING_WORK, clock.now())
}

/**
 * Counts a request whose body is refused, such as malformed JSON, in the limits of its sender. Refuses it like any other
 * request if they are used up.
 */
export async function countRefusedBody(services: SenderServices, head: Head, headers: ResponseHeaders): Promise<void> {
  const { settings, workBudget, clock } = services
  if (!settings.RATE_LIMITING) return
  const sender = await findSender(services, head)
  if (sender.actor === null) requireWorkBudget(services, sender.key, null)
  else limitRate(services, sender.actor, headers)
  workBudget.charge(sender.key, 1, settings.RATE_LIMITING_WORK, clock.now())
}
