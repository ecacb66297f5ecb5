import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { type Call, endpoint } from '#http/endpoint.ts'
import type { ParamsOf } from '#http/params.ts'
import { queueMail } from '#mail/outbox.ts'
import { silentMention } from '#messages/notice-markdown.ts'
import { prepareNotice } from '#messages/prepare-message.ts'
import { sendMessage } from '#messages/send-message.ts'
import * as access from '#people/access.ts'
import {
  insufficientPermission,
  mustBeAdministrator,
  mustBeOwner,
  noSuchUser,
  requireAdministrator,
  requireMayManage,
  requireUser,
} from '#people/access.ts'
import { requireNotErased, userErased } from '#people/erasures.ts'
import { passwordRefusals, requireUsablePassword } from '#people/password-rules.ts'
import { valueRefusals } from '#people/profile-fields.ts'
import { type Actor, fullNameRefusals, isBot, type User } from '#people/users.ts'
import { isRole, Role } from '#rules/role.ts'
import type { Transaction } from '#storage/storage.ts'
import {
  botAboveOwner,
  deactivationRefusals,
  findOtherOwnerIds,
  lastOwnerRole,
  ownAccountIsLastOwner,
  requireMayDeactivate,
  requireMayDeactivateSelf,
} from '../access.ts'
import { DEACTIVATION_TEMPLATE } from '../account-emails.ts'
import { reactivateBot, reactivatedNameTaken } from '../change-bots.ts'
import { changeEmailOfOther, emailChangeRefusals, emailRefusals } from '../change-email.ts'
import {
  botNameTaken,
  changeFullName,
  changeRole,
  createUser,
  deactivateUser,
  nameNotUnique,
  reactivateUser,
} from '../change-users.ts'
import { changeProfile, profileRefusals } from '../profiles.ts'

export const createUserEndpoint = endpoint({
  route: 'POST /users',
  summary: 'Create a user',
  description: 'Creates a member who is subscribed to the default channels. Requires an administrator.',
  who: 'human',
  params: {
    email: z.string().describe('The real address. No email is sent to it.'),
    password: z.string(),
    full_name: z.string(),
  },
  returns: { user_id: z.int() },
  refuses: [mustBeAdministrator, ...passwordRefusals, ...fullNameRefusals, nameNotUnique, ...emailRefusals],
  async handle(call, { email, password, full_name }) {
    const { actor, passwords, transaction, settings } = call
    requireAdministrator(actor)
    requireUsablePassword(password, { email, organization: actor.realm.name }, settings)
    const passwordHash = await passwords.hash(password)
    const person = { deliveryEmail: email, fullName: full_name, role: Role.member, passwordHash }
    const { id } = await transaction((tx) => createUser(tx, actor.realm, person))
    return { user_id: id }
  },
})

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
  userErased,
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
  await transaction(async (tx) => {
    const user = await requireTarget(tx)
    await access.requireMayManage(tx.db, actor, user)

    if (new_email !== undefined) {
      access.requireAdministrator(actor)
      await changeEmailOfOther(tx, actor, user, new_email)
    }
    if (role !== undefined) await changeRole(tx, actor, user, role as Role)
    if (full_name !== undefined) await changeFullName(tx, actor.realm, user, full_name)
    if (profile_data.length > 0) {
      await requireNotErased(tx.db, user.id)
      await changeProfile(tx, actor, user, profile_data)
    }
  })
  return {}
}

export const deactivateUserEndpoint = endpoint({
  route: 'DELETE /users/{user_id}',
  summary: 'Deactivate a user',
  description:
    'Deactivates the account and its bots, and revokes its invitations. Messages are kept. ' +
    'Requires an administrator, or an owner to deactivate an owner.',
  who: 'human',
  params: {
    deactivation_notification_comment: z
      .string()
      .max(2000)
      .optional()
      .describe('If given, even if empty, the user gets an email with this comment.'),
  },
  refuses: [noSuchUser, insufficientPermission, ...deactivationRefusals],
  async handle(call, { user_id, deactivation_notification_comment: comment }) {
    const { actor, transaction } = call
    await transaction(async (tx) => {
      const user = await requireUser(tx.db, actor, user_id)
      await requireMayManage(tx.db, actor, user)
      if (isBot(user)) throw noSuchUser()
      await requireMayDeactivate(tx, actor, user)
      await deactivateUser(tx, actor.realm, user)
      if (comment === undefined) return
      const data = { userId: user.id, comment: comment.trim() }
      await queueMail(tx, {
        realmId: actor.realmId,
        recipient: user.deliveryEmail,
        letter: DEACTIVATION_TEMPLATE,
        data,
      })
    })
    return {}
  },
})

export const deactivateOwnUser = endpoint({
  route: 'DELETE /users/me',
  summary: 'Deactivate your own user',
  who: 'human',
  params: {
    request_erasure: z.boolean().default(false).describe('Whether to ask the owners to erase your data.'),
  },
  refuses: [ownAccountIsLastOwner],
  async handle(call, { request_erasure }) {
    const { actor, transaction } = call
    await transaction(async (tx) => {
      await requireMayDeactivateSelf(tx, actor)
      if (request_erasure) await requestErasure(tx, actor)
      await deactivateUser(tx, actor.realm, actor)
    })
    return {}
  },
})

/** Sends the other owners a message with the request of a user who deactivates their account. */
async function requestErasure(tx: Transaction, actor: Actor): Promise<void> {
  const content =
    `${silentMention(actor)} has deactivated their account and asks you to erase their data. ` +
    'To do so, open their profile and choose **Erase data**.'
  for (const id of await findOtherOwnerIds(tx.db, actor))
    await sendMessage(tx, await prepareNotice(tx.db, { recipientIds: [id], content }))
}

export const reactivateUserEndpoint = endpoint({
  route: 'POST /users/{user_id}/reactivate',
  summary: 'Reactivate a user',
  description:
    'Restores the name, role, subscriptions and API keys. A bot whose owner is deactivated becomes yours, and its keys stop working. Requires an ' +
    'administrator, or the owner of a bot. Bots of organization owners can only be reactivated by organization owners.',
  who: 'human',
  refuses: [noSuchUser, insufficientPermission, mustBeOwner, reactivatedNameTaken, userErased],
  async handle(call, { user_id }) {
    const { actor, transaction } = call
    await transaction(async (tx) => {
      const user = await requireUser(tx.db, actor, user_id)
      await requireMayManage(tx.db, actor, user)
      if (isBot(user)) await reactivateBot(tx, actor, user)
      else await reactivateUser(tx, actor.realm, user)
    })
    return {}
  },
})
