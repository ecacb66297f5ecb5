import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { logActorEvent } from '#http/security-log.ts'
import { mustBeAdministrator, requireAdministrator } from '#people/users/access.ts'
import { emailRefusals } from '#people/users/addresses/available-email.ts'
import { fullNameRefusals } from '#people/users/full-name.ts'
import { passwordRefusals, requireUsablePassword } from '#people/users/passwords/passwords.ts'
import { nameNotUnique } from '#people/users/unique-name.ts'
import { Role } from '#rules/role.ts'
import { createUser } from '../create-user.ts'

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
    logActorEvent(call, 'account_created', { targetId: id })
    return { user_id: id }
  },
})
