import assert from 'node:assert/strict'
import { invitationKey } from '#invitations/invitation.ts'
import type { Realm } from '#realms/realm.ts'
import { only } from '../channels.ts'
import type { Chat, Person } from '../harness.ts'
import { type Channel, type Grants, type Invitation, Model } from './model.ts'
import { NAMES } from './steps.ts'

/** An organization, and the model of its expected state. */
export type World = { chat: Chat; realm: Realm; elsewhere: Realm; people: Record<string, Person>; model: Model }

const ROLES = { ada: 100, ann: 200, ben: 400, cleo: 400 } as const

export async function startWorld(chat: Chat, elsewhere: Realm, name: string): Promise<World> {
  const realm = await chat.organization(name)
  const people: Record<string, Person> = {}
  for (const each of NAMES) people[each] = await chat.user(each, { realm, role: ROLES[each] })
  const { ada, ben } = people as Record<(typeof NAMES)[number], Person>
  const channels: Record<string, Channel> = {}
  for (const each of ['open', 'usual', 'secret']) {
    const isPrivate = each === 'secret'
    const members = isPrivate ? [ada, ben] : []
    const { id } = await chat.channel(each, members, { realm, isPrivate })
    const isMember = new Set(isPrivate ? ['ada', 'ben'] : [])
    channels[each] = { id, isPrivate, isArchived: false, isDefault: each === 'usual', members: isMember }
  }
  await ada.succeed('POST /default_streams', { stream_id: channels['usual']?.id })
  const settings = { can_manage_group: only(ada), can_add_members_group: only(ben) }
  const { group_id } = await ada.succeed('POST /user_groups/create', {
    name: 'team',
    description: '',
    members: [],
    ...settings,
  })
  const staff = NAMES.map((each) => [each, { id: people[each]?.id as number, role: ROLES[each], isActive: true }])
  const group = { id: group_id, isActive: true, adder: 'ben' }
  const model = new Model(chat.clock.now(), Object.fromEntries(staff), channels, group)
  return { chat, realm, elsewhere, people, model }
}

/** Returns the grants as parameters of the calls that create invitations. */
export const paramsOf = ({ channels, group }: Model, grants: Grants) => ({
  stream_ids: grants.channels.map((name) => channels[name]?.id),
  group_ids: grants.hasGroup ? [group.id] : [],
  invite_as: grants.role,
  include_realm_default_subscriptions: grants.hasDefaults,
  invite_expires_in_minutes: grants.minutes,
})

/** Adds the invitation that was just created to the model. */
export async function addToModel(
  { chat, realm, model }: World,
  inviter: string,
  grants: Grants,
  admission: Pick<Invitation, 'email' | 'maxUses' | 'domain'>,
): Promise<void> {
  const saved = await chat.app.services.db
    .selectFrom('invitations')
    .select(['id', 'keySeed', 'formerKeyHash'])
    .where('realmId', '=', realm.id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  const key = invitationKey(chat.app.services.secret, saved)
  const invitation: Invitation = {
    ...grants,
    ...admission,
    id: saved.id,
    key,
    inviter,
    uses: 0,
    expiresAt: null,
    ended: null,
  }
  model.restart(invitation, grants.minutes)
  model.invitations.push(invitation)
}

/** Returns the heading of the page behind the link; `ok` for the form, `log in` for a redirect to the login page. */
export async function findPageHeading({ chat, realm }: World, { key, email }: Invitation): Promise<string> {
  const path = email === null ? `/join/${key}/` : `/accounts/do_confirm/${key}`
  const answer = await chat.request({ method: 'GET', path, headers: { host: `${realm.subdomain}.parley.test` } })
  if (answer.status === 302) return 'log in'
  assert.equal(answer.status, answer.body.includes('<form method="post" action="/accounts/register/">') ? 200 : 404)
  return answer.status === 200 ? 'ok' : (/<h1>([^<]*)</.exec(answer.body)?.[1] ?? '')
}

/** Returns the channels and groups of the newest account with the address. */
export async function membershipsOf({ chat, realm, model }: World, email: string) {
  const { db } = chat.app.services
  const { id, role } = await db
    .selectFrom('users')
    .select(['id', 'role'])
    .where('realmId', '=', realm.id)
    .where('emailKey', '=', email.toLowerCase())
    .executeTakeFirstOrThrow()
  const channels = await db
    .selectFrom('subscriptions')
    .select('channelId')
    .where('userId', '=', id)
    .orderBy('channelId')
    .execute()
  const groups = await db.selectFrom('userGroupMembers').select('groupId').where('userId', '=', id).execute()
  return {
    role,
    channelIds: channels.map(({ channelId }) => channelId),
    isInGroup: groups.some(({ groupId }) => groupId === model.group.id),
  }
}
