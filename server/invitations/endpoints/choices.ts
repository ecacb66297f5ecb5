import { z } from 'zod'
import { findDefaultChannels } from '#channels/default-channel-queries.ts'
import { findRealmChannels } from '#channels/queries.ts'
import { hasPermission } from '#groups/membership.ts'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { sendsEmail } from '#mail/transport.ts'
import { roles } from '#rules/role.ts'
import { findGrantableChannels, findGrantableGroups, mayInviteAs } from '../access.ts'
import { countInvitationsLeft } from '../limits.ts'

const choice = z.object({ id: z.int(), name: z.string() })

export const getInvitationChoices = endpoint({
  route: 'GET /invites/choices',
  summary: 'List the roles, channels and groups that you can grant with invitations',
  description:
    'The choices depend on your permissions and the current settings. An invitation that grants anything else is refused.',
  who: 'member',
  returns: {
    may_invite_by_email: z.boolean(),
    may_make_links: z.boolean(),
    roles: z.array(z.int()).describe('The highest role first.'),
    channels: z.array(choice).describe('Sorted by name; empty if you may not add users to any channel.'),
    default_channels: z.array(choice).describe('The channels that `include_realm_default_subscriptions` adds.'),
    groups: z.array(choice),
    emails_left: z
      .int()
      .nullable()
      .describe('The number of people you can still invite by email today; null if there is no limit.'),
    sends_email: z.boolean().describe('False if the server cannot send email, so that emails stay in the outbox.'),
    default_lifetime_minutes: z.int().describe('The lifetime of invitations that set none.'),
  },
  async handle(call) {
    const { db, actor, clock, settings } = call
    const now = clock.now()
    const viewer = viewerOf(db, actor, now)
    const scope = await viewer.scope()
    const channelIds = (await findRealmChannels(db, actor.realmId)).map(({ id }) => id)
    const groupIds = [...scope.groups.byId.keys()]
    const channels = await findGrantableChannels(viewer, channelIds)
    const groups = await findGrantableGroups(viewer, groupIds)
    return {
      may_invite_by_email: hasPermission(scope, actor, 'can_invite_users_group'),
      may_make_links: hasPermission(scope, actor, 'create_multiuse_invite_group'),
      roles: roles.filter((role) => mayInviteAs(actor, role)),
      channels: toChoices(channels),
      default_channels: toChoices(await findDefaultChannels(db, actor.realmId)),
      groups: toChoices(groups),
      emails_left: await countInvitationsLeft(db, actor, now),
      sends_email: sendsEmail(call),
      default_lifetime_minutes: settings.INVITATION_LINK_VALIDITY_MINUTES,
    }
  },
})

const toChoices = (all: readonly { id: number; name: string }[]) =>
  all.map(({ id, name }) => ({ id, name })).sort((one, other) => (one.name < other.name ? -1 : 1))
