import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { mustBeAdministrator } from '#people/users/access.ts'
import { linkifierJson, toLinkifierJson } from '#realms/linkifier-json.ts'
import { findLinkifiers } from '#realms/linkifier-queries.ts'
import { limitedText } from '#realms/settings.ts'
import * as linkifiers from '../change-linkifiers.ts'

const rule = {
  pattern: limitedText(1000, z.string().min(1)).describe(
    'A regular expression in RE2 syntax with named groups: `#(?P<id>[0-9]+)`.',
  ),
  url_template: limitedText(1000).describe(
    'An RFC 6570 URI template with the names of these groups: `https://example.com/{id}`.',
  ),
}

const ruleRefusals = [mustBeAdministrator, linkifiers.badLinkifier, linkifiers.linkifierExists]

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
  refuses: [mustBeAdministrator, linkifiers.incompleteOrder],
  async handle({ transaction, actor }, { ordered_linkifier_ids }) {
    await transaction((tx) => linkifiers.orderLinkifiers(tx, actor, ordered_linkifier_ids))
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
    return { id: await transaction((tx) => linkifiers.addLinkifier(tx, actor, { pattern, urlTemplate: url_template })) }
  },
})

export const changeLinkifierEndpoint = endpoint({
  route: 'PATCH /realm/filters/{filter_id}',
  summary: 'Change a linkifier',
  who: 'user',
  params: rule,
  refuses: [linkifiers.noSuchLinkifier, ...ruleRefusals],
  async handle({ transaction, actor }, { filter_id, pattern, url_template }) {
    const changed = { pattern, urlTemplate: url_template }
    await transaction((tx) => linkifiers.changeLinkifier(tx, actor, filter_id, changed))
    return {}
  },
})

export const removeLinkifierEndpoint = endpoint({
  route: 'DELETE /realm/filters/{filter_id}',
  summary: 'Remove a linkifier',
  who: 'user',
  refuses: [mustBeAdministrator, linkifiers.noSuchLinkifier],
  async handle({ transaction, actor }, { filter_id }) {
    await transaction((tx) => linkifiers.removeLinkifier(tx, actor, filter_id))
    return {}
  },
})
