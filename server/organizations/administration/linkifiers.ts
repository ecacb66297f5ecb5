import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors.ts'
import { checkLinkifier } from '#markdown/linkifier.ts'
import { mustBeAdministrator, requireAdministrator } from '#people/access.ts'
import { recordAudit } from '#people/audit.ts'
import type { Actor } from '#people/users.ts'
import {
  deleteLinkifier,
  findLinkifiers,
  linkifierJson,
  type RealmLinkifier,
  saveLinkifier,
  saveLinkifierFields,
  toLinkifierJson,
} from '#realms/linkifiers.ts'
import { lockRealm } from '#realms/queries.ts'
import { limitedText } from '#realms/realm-settings.ts'
import { MAX_LENGTH } from '#rules/shared-limits.ts'
import type { Transaction } from '#storage/storage.ts'
import { emitOrganizationEvents } from './save-organization-changes.ts'

const badLinkifier = refusal('BAD_REQUEST', 400, '{problem}')
const linkifierExists = refusal('BAD_REQUEST', 400, 'A linkifier with this pattern already exists.', {
  field: 'pattern',
})
const noSuchLinkifier = refusal('BAD_REQUEST', 400, 'Linkifier not found.')
const incompleteOrder = refusal(
  'BAD_REQUEST',
  400,
  'The ordered list must enumerate all existing linkifiers exactly once',
  { field: 'ordered_linkifier_ids' },
)

type Rule = Omit<RealmLinkifier, 'id'>

/** Adds a linkifier with the lowest priority. Returns its id. */
async function addLinkifier(tx: Transaction, actor: Actor, rule: Rule): Promise<number> {
  const current = await lockLinkifiers(tx, actor)
  requireValidLinkifier(rule, current)
  const id = await saveLinkifier(tx, actor.realmId, rule)
  await recordLinkifier(tx, actor, null, rule)
  await emitLinkifiers(tx, actor.realmId)
  return id
}

async function changeLinkifier(tx: Transaction, actor: Actor, id: number, rule: Rule): Promise<void> {
  const current = await lockLinkifiers(tx, actor)
  const before = requireLinkifier(current, id)
  requireValidLinkifier(
    rule,
    current.filter((other) => other.id !== id),
  )
  await saveLinkifierFields(tx, id, rule)
  await recordLinkifier(tx, actor, before, rule)
  await emitLinkifiers(tx, actor.realmId)
}

async function removeLinkifier(tx: Transaction, actor: Actor, id: number): Promise<void> {
  const before = requireLinkifier(await lockLinkifiers(tx, actor), id)
  await deleteLinkifier(tx, id)
  await recordLinkifier(tx, actor, before, null)
  await emitLinkifiers(tx, actor.realmId)
}

/** Sets the priorities of the linkifiers. `ids` must contain all of them, beginning with the highest priority. */
async function orderLinkifiers(tx: Transaction, actor: Actor, ids: readonly number[]): Promise<void> {
  const current = await lockLinkifiers(tx, actor)
  const isComplete = ids.length === current.length && current.every(({ id }) => ids.includes(id))
  if (!isComplete) throw incompleteOrder()
  for (const [index, id] of ids.entries()) await saveLinkifierFields(tx, id, { position: index + 1 })
  await recordAudit(tx, actor.realmId, 'organization_changed', {
    setting: 'linkifier_order',
    from: current.map(({ id }) => id),
    to: [...ids],
  })
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

function requireLinkifier(current: readonly RealmLinkifier[], id: number): RealmLinkifier {
  const found = current.find((one) => one.id === id)
  if (found === undefined) throw noSuchLinkifier()
  return found
}

function recordLinkifier(tx: Transaction, actor: Actor, before: Rule | null, after: Rule | null): Promise<void> {
  const toValue = (rule: Rule | null) =>
    rule === null ? null : { pattern: rule.pattern, url_template: rule.urlTemplate }
  const change = { from: toValue(before), to: toValue(after) }
  return recordAudit(tx, actor.realmId, 'organization_changed', { setting: 'linkifiers', ...change })
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

const rule = {
  pattern: limitedText(MAX_LENGTH.linkifier, z.string().min(1)).describe(
    'A regular expression in RE2 syntax with named groups: `#(?P<id>[0-9]+)`.',
  ),
  url_template: limitedText(MAX_LENGTH.linkifier).describe(
    'An RFC 6570 URI template with the names of these groups: `https://example.com/{id}`.',
  ),
}

const ruleRefusals = [mustBeAdministrator, badLinkifier, linkifierExists]

export const listLinkifiers = endpoint({
  route: 'GET /realm/linkifiers',
  summary: 'List linkifiers',
  description: 'Linkifiers turn parts of messages into links. The one with the highest priority is first.',
  who: 'user',
  returns: { linkifiers: z.array(linkifierJson) },
  async handle({ db, actor }) {
    return { linkifiers: (await findLinkifiers(db, actor.realmId)).rules.map(toLinkifierJson) }
  },
})

export const orderLinkifiersEndpoint = endpoint({
  route: 'PATCH /realm/linkifiers',
  summary: 'Reorder linkifiers',
  who: 'user',
  params: {
    ordered_linkifier_ids: z.array(z.int()).describe('The ids of all linkifiers, the highest priority first.'),
  },
  refuses: [mustBeAdministrator, incompleteOrder],
  async handle({ transaction, actor }, { ordered_linkifier_ids }) {
    await transaction((tx) => orderLinkifiers(tx, actor, ordered_linkifier_ids))
    return {}
  },
})

export const addLinkifierEndpoint = endpoint({
  route: 'POST /realm/filters',
  summary: 'Add a linkifier',
  who: 'user',
  params: rule,
  returns: { id: z.int() },
  refuses: ruleRefusals,
  async handle({ transaction, actor }, { pattern, url_template }) {
    return { id: await transaction((tx) => addLinkifier(tx, actor, { pattern, urlTemplate: url_template })) }
  },
})

export const changeLinkifierEndpoint = endpoint({
  route: 'PATCH /realm/filters/{filter_id}',
  summary: 'Change a linkifier',
  who: 'user',
  params: rule,
  refuses: [noSuchLinkifier, ...ruleRefusals],
  async handle({ transaction, actor }, { filter_id, pattern, url_template }) {
    const changed = { pattern, urlTemplate: url_template }
    await transaction((tx) => changeLinkifier(tx, actor, filter_id, changed))
    return {}
  },
})

export const removeLinkifierEndpoint = endpoint({
  route: 'DELETE /realm/filters/{filter_id}',
  summary: 'Remove a linkifier',
  who: 'user',
  refuses: [mustBeAdministrator, noSuchLinkifier],
  async handle({ transaction, actor }, { filter_id }) {
    await transaction((tx) => removeLinkifier(tx, actor, filter_id))
    return {}
  },
})
