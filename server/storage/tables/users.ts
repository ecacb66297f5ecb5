import type { Generated } from 'kysely'
import type { Bit, Json } from './columns.ts'

export type UserTables = {
  users: {
    id: Generated<number>
    realmId: number
    recipientId: number
    /** The address as it was typed. */
    deliveryEmail: string
    /** The address in lower case, unique in its organization. */
    emailKey: string
    /** The time of the last change of the address; null if it was never changed. */
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
    /** The name of the uploaded avatar; null if the account shows its gravatar. */
    avatarFile: string | null
    avatarVersion: number
    timezone: string
    /** The settings that differ from their defaults, by API name. */
    settings: Json
  }

  /** Allocates each `recipient_id` of users, channels and conversations. */
  recipients: { id: Generated<number>; realmId: number }

  apiKeys: {
    id: Generated<number>
    userId: number
    /** SHA-256 of the key, in hexadecimal. */
    hash: string
    client: string
    createdAt: number
    /** True if a program got the key with the account's password. */
    isFromLogin: Generated<Bit>
  }

  /** Separate from the keys, so that using a key does not invalidate cached authentication data. */
  apiKeyUses: { apiKeyId: number; lastUsedAt: number }

  /** Changes of addresses that an administrator requested. Rows are deleted some days after the request has expired. */
  emailChangeRequests: {
    id: Generated<number>
    realmId: number
    userId: number
    /** Null if the command line requested it. */
    requesterId: number | null
    oldEmail: string
    /** The old address in lower case. No other account can take it while the change can be undone. */
    oldEmailKey: string
    newEmail: string
    requestedAt: number
    /** The time at which the new address was confirmed; null until then. */
    confirmedAt: number | null
    /** The time at which the change was undone or replaced by another one; null otherwise. */
    cancelledAt: number | null
  }

  /** Networks and browsers from which users have logged in: an HMAC of the network, or the name of the browser. */
  knownPlaces: { userId: number; place: string; lastAt: number }

  /** The URLs to which outgoing-webhook bots send messages, with the token that proves the sender. */
  botServices: { botId: number; payloadUrl: string; interface: number; token: string }

  defaultUserSettings: {
    realmId: number
    /** The default settings of new users that the organization has changed, by API name. */
    settings: Json
  }
}
