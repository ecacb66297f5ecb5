import { sendFiles } from '../../files.ts'
import { movingPicture } from '../../pictures.ts'
import type { Action } from '../world.ts'

/** Domains, linkifiers, playgrounds and emoji of the organization. */
export const belongingActions: Record<string, Action> = {
  domain: (_, who, pick) => {
    const domain = pick(['example.com', 'example.org'])
    const route = pick(['POST /realm/domains', `PATCH /realm/domains/${domain}`, `DELETE /realm/domains/${domain}`])
    return who.call(route, route.startsWith('POST') ? { domain, allow_subdomains: false } : { allow_subdomains: true })
  },
  linkifier: (_, who, pick) =>
    who.call('POST /realm/filters', {
      pattern: pick(['#(?P<id>[0-9]+)', 'T(?P<id>[0-9]+)']),
      url_template: 'https://example.com/{id}',
    }),
  changeLinkifier: async (_, who, pick) => {
    const { linkifiers } = await who.call('GET /realm/linkifiers')
    if (!linkifiers?.length) return
    const { id, pattern } = pick<{ id: number; pattern: string }>(linkifiers)
    if (pick.flip()) return who.call(`DELETE /realm/filters/${id}`)
    return who.call(`PATCH /realm/filters/${id}`, { pattern, url_template: 'https://example.org/{id}' })
  },
  orderLinkifiers: async (_, who) => {
    const { linkifiers = [] } = await who.call('GET /realm/linkifiers')
    const ids = linkifiers.map(({ id }: { id: number }) => id)
    return who.call('PATCH /realm/linkifiers', { ordered_linkifier_ids: ids.toReversed() })
  },
  playground: (_, who, pick) =>
    who.call('POST /realm/playgrounds', {
      name: pick(['here', 'there']),
      pygments_language: 'Python',
      url_template: 'https://example.com/{code}',
    }),
  deletePlayground: async ({ chat }, who, pick) => {
    const playgrounds = await chat.app.services.db.selectFrom('playgrounds').select('id').execute()
    if (playgrounds.length === 0) return
    return who.call(`DELETE /realm/playgrounds/${pick(playgrounds).id}`)
  },
  emoji: ({ chat }, who, pick) =>
    sendFiles(chat, who, `/realm/emoji/${pick(['owl', 'cat'])}`, { name: 'picture.gif', bytes: movingPicture }),
  deleteEmoji: (_, who, pick) => who.call(`DELETE /realm/emoji/${pick(['owl', 'cat'])}`),
}
