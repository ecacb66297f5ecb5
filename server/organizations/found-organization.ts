import { createUser } from '../accounts/create-user.ts'
import { createChannel } from '../channels/create-channel.ts'
import type { Realm } from '../realms/realm.ts'
import type { Transaction } from '../storage/storage.ts'
import { subscribeUsers } from '../subscriptions/subscribe-users.ts'
import { Role } from '../users/role.ts'
import type { User } from '../users/user.ts'
import { createOrganization } from './create-organization.ts'

type Founding = {
  subdomain: string
  name: string
  owner: { email: string; fullName: string; passwordHash: string }
}

/** Makes an organization that people can begin with: its owner, and a default channel `general` that they are in. */
export async function foundOrganization(tx: Transaction, founding: Founding): Promise<{ realm: Realm; owner: User }> {
  const realm = await createOrganization(tx, founding.subdomain, founding.name)
  const { email, fullName, passwordHash } = founding.owner
  const owner = await createUser(tx, realm, { deliveryEmail: email, fullName, role: Role.owner, passwordHash })
  const general = await createChannel(tx, realm, {
    name: 'general',
    description: 'For everything that has no place of its own yet.',
    renderedDescription: '<p>For everything that has no place of its own yet.</p>',
    isPrivate: false,
    isWebPublic: false,
    isHistoryShared: true,
    creatorId: owner.id,
    settings: {},
    isDefault: true,
  })
  await subscribeUsers(tx, realm, [owner], [general])
  return { realm, owner }
}
