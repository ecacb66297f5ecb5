import type { Chat, Person } from '../../harness.ts'
import { accept } from '../../joining.ts'
import { movingPicture } from '../../pictures.ts'
import type { Deed } from '../world.ts'
import { groupValue } from './channels.ts'

const PERMISSIONS = [
  ...['can_access_all_users_group', 'can_access_all_users_group', 'can_create_public_channel_group'],
  ...['can_create_private_channel_group', 'can_create_web_public_channel_group', 'can_add_subscribers_group'],
  ...['can_invite_users_group', 'can_mention_many_users_group', 'can_create_groups'],
]

/** The organization and its settings. */
export const organizationDeeds: Record<string, Deed> = {
  realmPermission: async (world, who, pick) =>
    who.call('PATCH /realm', { [pick(PERMISSIONS)]: await groupValue(world, pick) }),
  realmSetting: ({ channels }, who, pick) =>
    who.call('PATCH /realm', {
      ...pick<Record<string, unknown>>([
        { name: 'Elsewhere' },
        { description: 'of *us*' },
        { enable_spectator_access: true },
        { message_edit_history_visibility_policy: pick(['all', 'none', 'moves']) },
        { message_content_edit_limit_seconds: 'unlimited', allow_message_editing: false },
        { waiting_period_threshold: pick([0, 10, 60]) },
        { moderation_request_channel_id: pick(channels).id },
        { signup_announcements_stream_id: pick(channels).id },
      ]),
    }),
  domain: (_, who, pick) => {
    const domain = pick(['example.com', 'example.org'])
    const deed = pick(['POST /realm/domains', `PATCH /realm/domains/${domain}`, `DELETE /realm/domains/${domain}`])
    return who.call(deed, deed.startsWith('POST') ? { domain, allow_subdomains: false } : { allow_subdomains: true })
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
    const linkifiers: { id: number }[] = (await who.call('GET /realm/linkifiers'))['linkifiers'] ?? []
    return who.call('PATCH /realm/linkifiers', { ordered_linkifier_ids: linkifiers.map(({ id }) => id).reverse() })
  },
  playground: (_, who, pick) =>
    who.call('POST /realm/playgrounds', {
      name: pick(['here', 'there']),
      pygments_language: 'Python',
      url_template: 'https://example.com/{code}',
    }),
  defaults: (_, who, pick) =>
    who.call('PATCH /realm/user_settings_defaults', { enter_sends: pick.flip(), color_scheme: pick([1, 2, 3]) }),
  emoji: ({ chat }, who, pick) => uploadEmoji(chat, who, pick(['owl', 'cat'])),
  endEmoji: (_, who, pick) => who.call(`DELETE /realm/emoji/${pick(['owl', 'cat'])}`),
  invite: ({ channels }, who, pick) =>
    who.call('POST /invites', { invitee_emails: `g${pick([1, 2, 3])}@example.org`, stream_ids: [pick(channels).id] }),
  /** The first may make links, and give whatever they choose. */
  join: async ({ chat, channels, people }, _, pick) => {
    const [owner] = people as [Person]
    const { user_groups } = await owner.call('GET /user_groups')
    const { invite_link } = await owner.call('POST /invites/multiuse', {
      stream_ids: [pick(channels).id],
      group_ids: pick.flip() ? [user_groups.at(-1).id] : [],
      include_realm_default_subscriptions: pick.flip(),
      invite_as: pick([200, 400, 600]),
    })
    const key = invite_link?.split('/').at(-2) ?? ''
    return accept(chat, key, { email: `n${pick([1, 2, 3, 4, 5, 6, 7, 8, 9])}@example.org` })
  },
}

function uploadEmoji(chat: Chat, { email, apiKey }: Person, name: string): Promise<unknown> {
  const head = '--edge\r\nContent-Disposition: form-data; name="file"; filename="picture.gif"\r\n\r\n'
  return chat.request({
    method: 'POST',
    path: `/api/v1/realm/emoji/${name}`,
    headers: {
      host: 'parley.test',
      authorization: `Basic ${Buffer.from(`${email}:${apiKey}`).toString('base64')}`,
      'content-type': 'multipart/form-data; boundary=edge',
    },
    body: Buffer.concat([Buffer.from(head), movingPicture, Buffer.from('\r\n--edge--\r\n')]),
  })
}
