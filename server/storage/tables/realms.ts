import type { Generated } from 'kysely'
import type { Bit, Json } from './columns.ts'

export type RealmTables = {
  realms: {
    id: Generated<number>
    /** Empty for the root organization. */
    subdomain: string
    name: string
    createdAt: number
    deactivatedAt: number | null
    /** The settings that differ from their defaults, by API name. */
    settings: Json
    /** The time from which the setting `message_retention_days` takes effect; null if it was never changed. */
    retentionFrom: number | null
    /** The file names of the uploaded icon and logos, by kind. */
    pictures: Generated<Json>
    /** The time at which a demo organization ends; null for all other organizations. */
    demoEndsAt: Generated<number | null>
  }

  /**
   * In the first of several databases: the organizations that are in another one, by all subdomains that lead to them.
   */
  organizationDatabases: {
    subdomain: string
    /** The number of the database. */
    database: number
    /** The time since which the organization waits for the end of its move; null unless it does. */
    movingSince: number | null
  }

  /** Organizations that are being moved to another database; see transfer/move-organization.ts. */
  organizationMoves: { realmId: number; state: 'copying' | 'paused' | 'moved'; startedAt: number }

  /** The subdomains that organizations had before they were renamed. */
  realmRedirects: { subdomain: string; realmId: number }

  realmDomains: { realmId: number; domain: string; allowSubdomains: Bit }

  realmEmoji: {
    id: Generated<number>
    realmId: number
    name: string
    authorId: number
    fileName: string
    /** The still frame of an animated image; null if the image is not animated. */
    stillFileName: string | null
    createdAt: number
    deactivatedAt: number | null
  }

  linkifiers: {
    id: Generated<number>
    realmId: number
    pattern: string
    urlTemplate: string
    position: number
  }

  playgrounds: {
    id: Generated<number>
    realmId: number
    /** Unique for its language in its organization. */
    name: string
    language: string
    urlTemplate: string
  }

  /** Exports that administrators requested; pending until one of the times is set. */
  dataExports: {
    id: Generated<number>
    realmId: number
    actorId: number
    type: number
    file: string
    bytes: number | null
    attempts: number
    requestedAt: number
    finishedAt: number | null
    failedAt: number | null
    deletedAt: number | null
  }

  /** Administrative and security-relevant changes; `people/audit.ts` writes them. */
  auditEntries: {
    id: Generated<number>
    realmId: number
    at: number
    kind: string
    /** The value of `Origin.by`. */
    origin: string
    actorId: number | null
    /** The id of the account, channel, group or other object that the kind is about. */
    targetId: number | null
    /** The details that the kind declares. */
    details: Json
    address: string | null
    client: string
  }

  /** The number of messages that were sent on each day, including messages that were deleted since. */
  messageDays: {
    realmId: number
    /** Days since 1970 in UTC. */
    day: number
    messages: number
  }
}

export type SetupTables = {
  setupLinks: {
    /** SHA-256 of the token in the link, in hexadecimal. */
    hash: string
    expiresAt: number
    /** The entries of the completed steps; passwords are hashed. */
    draft: Json
  }
}
