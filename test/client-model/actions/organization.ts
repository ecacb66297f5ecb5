import { userSettingDeclarations } from '#people/user-settings.ts'
import {
  changeableSettings,
  channelIdSettings,
  type RealmSettingName,
  realmPermissionNames,
  realmSettingDeclarations,
} from '#realms/realm-settings.ts'
import type { Person } from '../../harness.ts'
import { accept } from '../../joining.ts'
import { type Action, type Pick, someChannel, someValue, type World } from '../world.ts'
import { groupValue } from './channels.ts'
import { SETTINGS } from './people.ts'

/** The permission that decides which users are visible is picked most often. */
const PERMISSIONS = [...realmPermissionNames, ...Array(8).fill('can_access_all_users_group')]

const VALUES = changeableSettings.filter(
  (name) => !(realmPermissionNames as readonly RealmSettingName[]).includes(name),
)

async function settingValue(world: World, name: RealmSettingName, pick: Pick): Promise<unknown> {
  const declaration = realmSettingDeclarations[name]
  if ((channelIdSettings as readonly RealmSettingName[]).includes(name)) return (await someChannel(world, pick)).id
  return declaration.kind === 'value' && someValue(declaration.type, pick)
}

export const organizationActions: Record<string, Action> = {
  permission: async (world, who, pick) =>
    who.call('PATCH /realm', { [pick(PERMISSIONS)]: { new: await groupValue(world, pick) } }),
  setting: async (world, who, pick) => {
    const names = [pick(VALUES), pick(VALUES)]
    const values = await Promise.all(names.map(async (name) => [name, await settingValue(world, name, pick)]))
    return who.call('PATCH /realm', Object.fromEntries(values))
  },
  rename: (_, who, pick) =>
    who.call('PATCH /realm', {
      name: pick(['Elsewhere', 'Nowhere']),
      description: pick(['', 'of *us*']),
      message_content_edit_limit_seconds: '"unlimited"',
    }),
  waitingPeriod: (_, who, pick) => who.call('PATCH /realm', { waiting_period_threshold: pick([0, 10, 60]) }),
  defaults: (_, who, pick) => {
    const name = pick(SETTINGS)
    return who.call('PATCH /realm/user_settings_defaults', {
      [name]: someValue(userSettingDeclarations[name].type, pick),
    })
  },
  invite: async (world, who, pick) =>
    who.call('POST /invites', {
      invitee_emails: `g${pick([1, 2, 3])}@example.org`,
      stream_ids: [(await someChannel(world, pick)).id],
    }),
  /** The first user can create links that grant anything. */
  join: async (world, _, pick) => {
    const [owner] = world.people as [Person]
    const { user_groups } = await owner.call('GET /user_groups')
    const { invite_link } = await owner.call('POST /invites/multiuse', {
      stream_ids: [(await someChannel(world, pick)).id],
      group_ids: pick.flip() ? [user_groups.at(-1).id] : [],
      include_realm_default_subscriptions: pick.flip(),
      invite_as: pick([200, 400, 600]),
    })
    const key = invite_link?.split('/').at(-2) ?? ''
    return accept(world.chat, key, { email: `n${pick([1, 2, 3, 4, 5, 6, 7, 8, 9])}@example.org` })
  },
}
