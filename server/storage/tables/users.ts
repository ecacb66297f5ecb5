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
    /** The time at which the organization's requirement of a second factor first applied to the user; null if it never did. */
    secondFactorRequiredAt: Generated<number | null>
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

  /** The commands of outgoing-webhook bots. Each name is unique in its organization. */
  botCommands: { realmId: number; name: string; botId: number; description: string; argumentHint: string }

  defaultUserSettings: {
    realmId: number
    /** The default settings of new users that the organization has changed, by API name. */
    settings: Json
  }
}

export type ErasureTables = {
  /** Users who are being erased, or have been. The account stays under a pseudonym. */
  erasures: {
    id: Generated<number>
    realmId: number
    userId: number
    /** The owner who requested it; null if the command line did. */
    actorId: number | null
    deletesChannelMessages: Bit
    deletesDirectMessages: Bit
    deletesFiles: Bit
    /** The former name and picture, which the job still needs; null when it has finished. */
    former: Json | null
    /** The current step of the job. */
    step: string
    /** The id up to which the current step has worked. */
    lastId: number
    startedAt: number
    /** The time of the next batch of the job. */
    dueAt: number
    finishedAt: number | null
  }
}

export type SessionTables = {
  sessions: {
    id: Generated<number>
    userId: number
    /** SHA-256 of the token in the cookie, in hexadecimal. */
    hash: string
    /** True if the session survives closing the browser. */
    isKept: Bit
    /** The names of browser and operating system; '' if they are unknown. */
    browser: Generated<string>
    openedAt: number
    expiresAt: number
    /** The last time at which the user proved who they are, after the login; null if they did not. */
    confirmedAt: number | null
  }
}

export type SecondFactorTables = {
  /** The secrets of authenticator apps (TOTP), encrypted with the secret of the server. */
  totpSecrets: {
    userId: number
    secret: string
    createdAt: number
    /** The number of the time step of the last code that was used. Codes of this and earlier steps are refused. */
    lastStep: number
  }

  passkeys: {
    id: Generated<number>
    userId: number
    /** The id that the authenticator gave it, in base64url. */
    credentialId: string
    /** The public key in COSE format, in base64url. */
    publicKey: string
    /** The number of signatures, as the authenticator counts them; 0 if it does not count. */
    counter: number
    /** How browsers reach the authenticator, separated by commas. */
    transports: string
    name: string
    createdAt: number
    lastUsedAt: number | null
  }

  /** Keyed hashes of the recovery codes that are left. */
  recoveryCodes: { userId: number; hash: string }

  /** Hashes of the challenges that passkeys have signed, until they expire. */
  usedChallenges: { hash: string; expiresAt: number }

  /** The emails about the requirement of a second factor that users got: each kind once. */
  secondFactorNotices: { userId: number; kind: 'required' | 'due soon' }

  /** The browsers in which a user is not asked for the second factor. */
  trustedBrowsers: {
    id: Generated<number>
    userId: number
    /** SHA-256 of the token in the cookie, in hexadecimal. */
    hash: string
    /** The names of browser and operating system; '' if they are unknown. */
    browser: string
    createdAt: number
    expiresAt: number
  }
}

export type SignInTables = {
  /** Accounts of other services with which users sign in. A subject of an issuer belongs to at most one account. */
  externalIdentities: {
    id: Generated<number>
    realmId: number
    /** The id of the provider. */
    provider: string
    /** The service that chose the subject: the issuer of the provider then. Null for rows of before it was stored. */
    issuer: string | null
    /** The id of the person at the issuer, which never changes. */
    subject: string
    userId: number
    createdAt: number
    lastUsedAt: number
  }

  /** Sign-ins that have begun and wait for the answer of a provider or a confirmation. Each is used once. */
  pendingSignIns: {
    /** SHA-256 of the key in the address, in hexadecimal. */
    hash: string
    realmId: number
    /** SHA-256 of the key in the cookie of the browser, in hexadecimal. */
    browserHash: string
    /** Encrypted. */
    content: string
    expiresAt: number
  }

  /** Providers that owners of an organization have added. */
  signInProviders: {
    id: Generated<number>
    realmId: number
    settings: Json
    /** The client secret, encrypted. */
    secret: string
    createdAt: number
  }
}

export type ProfileTables = {
  /** The custom profile fields of an organization. */
  profileFields: {
    id: Generated<number>
    realmId: number
    /** Unique in its organization. */
    name: string
    /** 1 to 8, as defined in people/profile-fields.ts. */
    type: number
    hint: string
    /** The choices, or the service of an external account; an empty object for all other types. */
    data: Json
    position: number
    isInSummary: Bit
    isRequired: Bit
    isEditable: Bit
  }

  profileValues: {
    userId: number
    fieldId: number
    value: string
    /** The value as HTML; null for types without HTML. */
    renderedValue: string | null
  }
}

export type StatusTables = {
  userStatuses: {
    userId: number
    text: string
    /** The three columns are null together. */
    emojiName: string | null
    emojiCode: string | null
    reactionType: string | null
    setAt: number
    /** The time at which the server clears the status; null if it stays. */
    endsAt: number | null
  }
}

export type PresenceTables = {
  presences: {
    userId: number
    realmId: number
    lastActiveAt: number | null
    lastConnectedAt: number | null
    updateId: number
  }

  /** No update id above the ceiling was ever used. */
  presenceCeilings: { realmId: number; ceiling: number }

  /** Users who hide their presence until `endsAt`. The server then shows it again. */
  hiddenPresences: { userId: number; endsAt: number }

  /** The times at which users used their clients, for usage statistics. */
  activityIntervals: { userId: number; startedAt: number; endedAt: number }
}

export type MuteTables = {
  mutedUsers: { mutedUserId: number; userId: number; mutedAt: number }
}

export type GroupTables = {
  userGroups: {
    id: Generated<number>
    realmId: number
    name: string
    description: string
    /**
     * `role:…` for the eight system groups; null for other groups. Users are members of system groups by their role.
     */
    systemName: string | null
    creatorId: number | null
    createdAt: number
    deactivatedAt: number | null
    /** The permission settings that differ from their defaults, by API name. */
    settings: Json
  }

  userGroupMembers: { groupId: number; userId: number }

  userGroupSubgroups: { groupId: number; subgroupId: number }
}

export type ScimTables = {
  /** The token with which a directory provisions the users and groups of an organization by SCIM. */
  scimTokens: {
    realmId: number
    /** SHA-256 of the token, in hexadecimal. */
    tokenHash: string
    /** Null if the command line made it. */
    creatorId: number | null
    createdAt: number
    lastUsedAt: number | null
  }

  /** A directory deleted the account at `deletedAt`; it does not see the account while that stays deactivated. */
  scimUsers: { userId: number; externalId: string | null; deletedAt: number | null }

  scimGroups: { groupId: number; externalId: string | null }
}

export type AlertWordTables = {
  alertWords: {
    id: Generated<number>
    userId: number
    word: string
    /** The word in lower case, unique for each user. */
    wordKey: string
  }
}

export type BotStorageTables = {
  botStorage: { botId: number; key: string; value: string }
}

export type IncomingWebhookTables = {
  /** The secrets with which services sign the deliveries to a bot. They are needed as they are to check signatures. */
  webhookSecrets: { botId: number; integration: string; secret: string }

  /** The tokens with which the server starts meetings of Zoom for a user, encrypted with the secret of the server. */
  zoomTokens: { userId: number; tokens: string }

  /** When the owner of a bot was last told about deliveries with a kind of problem. */
  webhookNotices: { botId: number; kind: string; sentAt: number }

  /** The last deliveries to each bot, for seven days. */
  webhookDeliveries: {
    id: Generated<number>
    botId: number
    integration: string
    /** A hash of the channel and the topic that the URL names. */
    target: string
    /** The kind of event; null if it is unknown or the integration has only one. */
    event: string | null
    receivedAt: number
    outcome: 'posted' | 'left_out' | 'refused'
    /** The HTTP status of the response. */
    status: number
    /** The code of the error; null if there was none. */
    code: string | null
    /** The text that explains the outcome; '' for messages that were posted. */
    answer: string
    /** The first message that was posted; null if none was. It may have been deleted. */
    messageId: number | null
    /** The payload and the parts of the request that decide about it, as JSON; null if it cannot be sent again. */
    content: string | null
    /** The channel and the topic, as the URL names them; null if it names none. */
    stream: string | null
    topic: string | null
    /** `again` for deliveries that were sent again. */
    kind: 'delivery' | 'test' | 'again'
  }
}
