import type { Generated } from 'kysely'
import type { Json } from './columns.ts'

export type UserTables = {
  users: {
    id: Generated<number>
    realmId: number
    recipientId: number
    /** The address as it was given. */
    deliveryEmail: string
    /** The address in lower case: unique in its organization. */
    emailKey: string
    /** When the address was changed last; null while it is the first. */
    emailChangedAt: number | null
    fullName: string
    role: number
    /** 1 generic, 3 outgoing webhook, 2 incoming webhook; null for people. */
    botType: number | null
    botOwnerId: number | null
    joinedAt: number
    deactivatedAt: number | null
    /** Null for bots and for accounts without a password. */
    passwordHash: string | null
    /** The name of the uploaded picture; null while the account shows its gravatar. */
    avatarFile: string | null
    avatarVersion: number
    timezone: string
    /** The settings that differ from their defaults, by API name. */
    settings: Json
  }

  /** Gives out the ids of sets of recipients: `recipient_id` on the wire. Channels and conversations take theirs here too. */
  recipients: { id: Generated<number>; realmId: number }

  apiKeys: {
    id: Generated<number>
    userId: number
    /** SHA-256 of the key, in hexadecimal. */
    hash: string
    client: string
    createdAt: number
  }

  /** Apart from the keys, so that using a key does not touch what authentication caches. */
  apiKeyUses: { apiKeyId: number; lastUsedAt: number }

  /** Changes of a person's address that somebody else asked for; rows are deleted some days after they have expired. */
  emailChangeRequests: {
    id: Generated<number>
    realmId: number
    userId: number
    /** Null when the command line asked for it. */
    requesterId: number | null
    oldEmail: string
    /** The old address in lower case: nobody else takes it while the change can be undone. */
    oldEmailKey: string
    newEmail: string
    requestedAt: number
    /** When the new address was confirmed; null until then. */
    confirmedAt: number | null
    /** When the change was undone, or replaced by another one; null otherwise. */
    cancelledAt: number | null
  }

  /** Networks that people have given their password from, as an HMAC of each. */
  knownPlaces: { userId: number; place: string; lastAt: number }

  /** Where an outgoing-webhook bot has messages sent to, with what proves that we send them. */
  botServices: { botId: number; payloadUrl: string; interface: number; token: string }

  defaultUserSettings: {
    realmId: number
    /** The personal settings with which people begin, where the organization chose them, by API name. */
    settings: Json
  }
}
