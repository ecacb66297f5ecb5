import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { type Call, endpoint } from '#http/endpoint.ts'
import type { ParamsOf } from '#http/params.ts'
import { logActorEvent } from '#http/security-log.ts'
import { valueRefusals } from '#people/profiles/value.ts'
import * as access from '#people/users/access.ts'
import { emailRefusals } from '#people/users/addresses/available-email.ts'
import { fullNameRefusals } from '#people/users/full-name.ts'
import { nameNotUnique } from '#people/users/unique-name.ts'
import { isBot, type User } from '#people/users/user.ts'
import { isRole, type Role } from '#rules/role.ts'
import type { Transaction } from '#storage/storage.ts'
import { botAboveOwner, lastOwnerRole } from '../access.ts'
import { changeEmailOfOther, emailChangeRefusals } from '../change-email.ts'
import { changeProfile, profileRefusals } from '../change-profile.ts'
import { botNameTaken, changeFullName, changeRole } from '../change-user.ts'

const params = {
  full_name: z.string().optional(),
  role: z
    .int()
    .refine(isRole)
    .optional()
    .describe('100 owner, 200 administrator, 300 moderator, 400 member, 600 guest.'),
  profile_data: z
    .array(z.object({ id: z.int(), value: z.unknown() }))
    .optional()
    .describe('Values of custom profile fields by id. Empty values are removed.'),
  new_email: z
    .string()
    .optional()
    .describe(
      'The real address. A person has to confirm it with a link that is sent to the new address, and can undo the change ' +
        'for 72 hours with a link that is sent to the old one. The address of a bot changes at once.',
    ),
}

const refuses = [
  access.noSuchUser,
  access.insufficientPermission,
  access.mustBeAdministrator,
  lastOwnerRole,
  nameNotUnique,
  botNameTaken,
  botAboveOwner,
  ...profileRefusals,
  ...valueRefusals,
  ...fullNameRefusals,
  ...emailRefusals,
  ...emailChangeRefusals,
]

const description =
  'Administrators can change all users. Only owners can change who is an owner and, unless the operator of the server ' +
  'allows it to administrators, the addresses of people. Other users can change the names of their own bots.'

export const updateUser = endpoint({
  route: 'PATCH /users/{user_id}',
  summary: 'Change a user',
  description,
  who: 'human',
  params,
  refuses,
  handle(call, { user_id, ...changes }) {
    return update(call, changes, (tx) => access.requireUser(tx.db, call.actor, user_id))
  },
})

export const updateUserByEmail = endpoint({
  route: 'PATCH /users/{email}',
  summary: 'Change a user by email address',
  description,
  who: 'human',
  path: { email: z.string() },
  params,
  refuses,
  handle(call, { email, ...changes }) {
    const { actor } = call
    return update(call, changes, async ({ db, now }) =>
      access.requireUserByEmail(db, actor, email, await viewerOf(db, actor, now).visibleIds()),
    )
  },
})

async function update(
  call: Call,
  { full_name, role, profile_data = [], new_email }: ParamsOf<typeof params>,
  requireTarget: (tx: Transaction) => Promise<User>,
): Promise<object> {
  const { actor, transaction } = call
  const before = await transaction(async (tx) => {
    const user = await requireTarget(tx)
    await access.requireMayManage(tx.db, actor, user)

    if (new_email !== undefined) {
      access.requireAdministrator(actor)
      await changeEmailOfOther(tx, actor, user, new_email)
    }
    if (role !== undefined) await changeRole(tx, actor, user, role as Role)
    if (full_name !== undefined) await changeFullName(tx, actor.realm, user, full_name)
    await changeProfile(tx, actor, user, profile_data)
    return user
  })
  const { id: targetId } = before
  if (new_email !== undefined && new_email.trim() !== before.deliveryEmail)
    logActorEvent(call, isBot(before) ? 'email_changed' : 'email_change_requested', { targetId })
  if (role !== undefined && role !== before.role) logActorEvent(call, 'role_changed', { targetId, role })
  return {}
}
