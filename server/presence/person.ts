import { AddressVisibility, type UserSettings } from '../people/users/settings/settings.ts'
import type { User } from '../people/users/user.ts'

/** What of an account decides whether, to whom and how its presence is shown. */
export type PresencePerson = {
  readonly id: number
  /** Stands for times that were never reported. */
  readonly joinedAt: number
  /** The real address where everyone may see it, else null. */
  readonly publicEmail: string | null
  /** Whether the account is a person's and in use; else nobody sees its presence. */
  readonly isActive: boolean
  /** Whether others may see it. */
  readonly isSharing: boolean
}

type Account = Pick<User, 'id' | 'joinedAt' | 'deliveryEmail' | 'botType' | 'deactivatedAt'> & {
  settings: Pick<UserSettings, 'presence_enabled' | 'email_address_visibility'>
}

export function toPresencePerson({
  id,
  joinedAt,
  deliveryEmail,
  botType,
  deactivatedAt,
  settings,
}: Account): PresencePerson {
  return {
    id,
    joinedAt,
    publicEmail: settings.email_address_visibility === AddressVisibility.everyone ? deliveryEmail : null,
    isActive: deactivatedAt === null && botType === null,
    isSharing: settings.presence_enabled,
  }
}

/** Whether two views of one account show its presence in the same way. */
export function isSamePerson(one: PresencePerson, other: PresencePerson): boolean {
  return (
    one.joinedAt === other.joinedAt &&
    one.publicEmail === other.publicEmail &&
    one.isActive === other.isActive &&
    one.isSharing === other.isSharing
  )
}
