import { refusal } from '#lib/errors/refusal.ts'
import { checkLinkifier } from '#markdown/links/linkifier.ts'
import { requireAdministrator } from '#people/users/access.ts'
import type { Actor } from '#people/users/user.ts'
import { toLinkifierJson } from '#realms/linkifier-json.ts'
import {
  deleteLinkifier,
  findLinkifiers,
  type RealmLinkifier,
  saveLinkifier,
  saveLinkifierFields,
} from '#realms/linkifier-queries.ts'
import { lockRealm } from '#realms/queries.ts'
import type { Transaction } from '#storage/storage.ts'
import { emitOrganizationEvents } from './events.ts'

export const badLinkifier = refusal('BAD_REQUEST', 400, '{problem}')
export const linkifierExists = refusal('BAD_REQUEST', 400, 'A linkifier with this pattern already exists.', {
  field: 'pattern',
})
export const noSuchLinkifier = refusal('BAD_REQUEST', 400, 'Linkifier not found.')
export const incompleteOrder = refusal(
  'BAD_REQUEST',
  400,
  'The ordered list must enumerate all existing linkifiers exactly once',
  { field: 'ordered_linkifier_ids' },
)

type Rule = Omit<RealmLinkifier, 'id'>

/** Adds a linkifier with the lowest priority. Returns its id. */
export async function addLinkifier(tx: Transaction, actor: Actor, rule: Rule): Promise<number> {
  const current = await lockLinkifiers(tx, actor)
  requireValidLinkifier(rule, current)
  const id = await saveLinkifier(tx, actor.realmId, rule)
  await emitLinkifiers(tx, actor.realmId)
  return id
}

export async function changeLinkifier(tx: Transaction, actor: Actor, id: number, rule: Rule): Promise<void> {
  const current = await lockLinkifiers(tx, actor)
  requireLinkifier(current, id)
  requireValidLinkifier(
    rule,
    current.filter((other) => other.id !== id),
  )
  await saveLinkifierFields(tx, id, rule)
  await emitLinkifiers(tx, actor.realmId)
}

export async function removeLinkifier(tx: Transaction, actor: Actor, id: number): Promise<void> {
  requireLinkifier(await lockLinkifiers(tx, actor), id)
  await deleteLinkifier(tx, id)
  await emitLinkifiers(tx, actor.realmId)
}

/** Sets the priorities of the linkifiers. `ids` must contain all of them, beginning with the highest priority. */
export async function orderLinkifiers(tx: Transaction, actor: Actor, ids: readonly number[]): Promise<void> {
  const current = await lockLinkifiers(tx, actor)
  const isComplete = ids.length === current.length && current.every(({ id }) => ids.includes(id))
  if (!isComplete) throw incompleteOrder()
  for (const [index, id] of ids.entries()) await saveLinkifierFields(tx, id, { position: index + 1 })
  await emitLinkifiers(tx, actor.realmId)
}

/**
 * Returns the organization's linkifiers, and locks them until the transaction ends. Refuses unless the actor is an
 * administrator.
 */
async function lockLinkifiers(tx: Transaction, actor: Actor): Promise<readonly RealmLinkifier[]> {
  requireAdministrator(actor)
  await lockRealm(tx, actor.realmId)
  return (await findLinkifiers(tx.db, actor.realmId)).rules
}

function requireLinkifier(current: readonly RealmLinkifier[], id: number): void {
  if (!current.some((one) => one.id === id)) throw noSuchLinkifier()
}

function requireValidLinkifier(rule: Rule, others: readonly RealmLinkifier[]): void {
  const problem = checkLinkifier(rule.pattern, rule.urlTemplate)
  if (problem !== null) throw badLinkifier({ problem })
  if (others.some((other) => other.pattern === rule.pattern)) throw linkifierExists()
}

async function emitLinkifiers(tx: Transaction, realmId: number): Promise<void> {
  const { rules } = await findLinkifiers(tx.db, realmId)
  await emitOrganizationEvents(tx, realmId, [
    { type: 'realm_linkifiers', realm_linkifiers: rules.map(toLinkifierJson) },
  ])
}
