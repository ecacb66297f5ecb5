import { type UserSettingName, userSettingDeclarations } from '#people/user-settings.ts'
import { PASSWORD } from '../../browser.ts'
import { findMailedLink, press } from '../../email-changes.ts'
import { sendFiles } from '../../files.ts'
import { movingPicture } from '../../pictures.ts'
import { type Action, type Pick, someValue, type World } from '../world.ts'

const ROLES = [100, 200, 300, 400, 600]

export const SETTINGS = Object.keys(userSettingDeclarations) as UserSettingName[]

/** The number of users whose accounts are never deactivated. */
const PERMANENT_COUNT = 4

/** Returns the id of any account. */
async function someAccount({ chat }: World, pick: Pick): Promise<number> {
  const { db } = chat.app.services
  const users = await db.selectFrom('users').select('id').where('realmId', '=', chat.realm.id).orderBy('id').execute()
  return pick(users).id
}

export const peopleActions: Record<string, Action> = {
  role: async (world, who, pick) => who.call(`PATCH /users/${await someAccount(world, pick)}`, { role: pick(ROLES) }),
  rename: async (world, who, pick) =>
    who.call(`PATCH /users/${await someAccount(world, pick)}`, { full_name: `Person ${pick([1, 2, 3, 4, 5])}` }),
  address: async (world, who, pick) => {
    const new_email = `a${pick([1, 2, 3])}@example.net`
    const { status } = await who.call(`PATCH /users/${await someAccount(world, pick)}`, { new_email })
    const path = status === 200 ? await findMailedLink(world.chat, new_email) : undefined
    if (path !== undefined) await press(world.chat, path)
  },
  confirmAddress: async ({ chat }, who, pick) => {
    const email = `b${pick([1, 2, 3])}@example.net`
    const { status } = await who.call('PATCH /settings', { email, old_password: PASSWORD })
    const path = status === 200 ? await findMailedLink(chat, email) : undefined
    if (path !== undefined) await press(chat, path)
  },
  deactivate: async (world, who, pick) => {
    const id = await someAccount(world, pick)
    const isPermanent = world.people.slice(0, PERMANENT_COUNT).some((person) => person.id === id)
    if (isPermanent) return
    return who.call(`DELETE /users/${id}`)
  },
  deactivateSelf: async ({ people }, who) => {
    if (people.indexOf(who) < PERMANENT_COUNT) return
    return who.call('DELETE /users/me')
  },
  reactivate: async (world, who, pick) => who.call(`POST /users/${await someAccount(world, pick)}/reactivate`),
  createUser: (_, who, pick) =>
    who.call('POST /users', { email: `new${pick([1, 2])}@example.com`, password: 'a long secret', full_name: 'New' }),
  deleteAvatar: (_, who) => who.call('DELETE /users/me/avatar'),
  avatar: ({ chat }, who) => sendFiles(chat, who, '/users/me/avatar', { name: 'me.gif', bytes: movingPicture }),
  status: ({ chat }, who, pick) =>
    who.call('POST /users/me/status', {
      ...(pick.flip() && { status_text: pick(['', 'out']) }),
      emoji_name: pick(['', 'tea', 'parley']),
      ...(pick.flip() && { scheduled_end_time: pick([null, Math.floor(chat.clock.now()) + 60]) }),
    }),
  reportPresence: (_, who, pick) =>
    who.call('POST /users/me/presence', { status: pick(['active', 'idle']), ping_only: pick.flip() }),
  setting: (_, who, pick) => {
    const name = pick(SETTINGS)
    const route = pick(['PATCH /settings', 'PATCH /settings/notifications'])
    return who.call(route, { [name]: someValue(userSettingDeclarations[name].type, pick) })
  },
  visibility: (_, who, pick) => who.call('PATCH /settings', { email_address_visibility: pick([1, 2, 3, 4, 5]) }),
  name: (_, who, pick) =>
    who.call('PATCH /settings', { full_name: pick(['Alex', 'Robin']), timezone: pick(['', 'Europe/Paris']) }),
}
