import { AddressVisibility, type UserSettings } from '#people/users/settings/settings.ts'
import type { User } from '#people/users/user.ts'

/** The fields of an account that decide whether, how and to whom its presence is shown. */
export type PresencePerson = {
  readonly id: number
  /** Used in place of times that were never reported. */
  readonly joinedAt: number
  /** The account's email address if everyone may see it; otherwise null. */
  readonly publicEmail: string | null
  /** False for bots and deactivated accounts, whose presence is never shown. */
  readonly isActive: boolean
  /** True if other users may see the presence. */
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

/** Returns whether the presence is shown in the same way for both versions of an account. */
export function isSamePerson(one: PresencePerson, other: PresencePerson): boolean {
  return (
    one.joinedAt === other.joinedAt &&
    one.publicEmail === other.publicEmail &&
    one.isActive === other.isActive &&
    one.isSharing === other.isSharing
  )
}
