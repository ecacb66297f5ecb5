import type { Migrator } from '../schema.ts'

/** Adds invitation links: an invitation without an address can be used by many people. */
export async function inviteByLink({ dialect, run, createTable }: Migrator): Promise<void> {
  if (dialect === 'postgres') {
    await run(`alter table "invitations"
      alter column "email" drop not null,
      alter column "emailKey" drop not null,
      add column "maxUses" bigint,
      add column "uses" bigint not null default 0,
      add column "allowedDomains" text collate "C" not null default '[]',
      add column "askedAgainAt" double precision`)
    await run(`update "invitations" set "maxUses" = 1, "uses" = case when "endedAs" = 'accepted' then 1 else 0 end`)
    await run('create index "invitations_inviterId" on "invitations" ("inviterId")')
    return
  }
  // SQLite cannot make an existing column nullable.
  await run('alter table "invitations" rename to "formerInvitations"')
  await run('drop index "invitations_keyHash"')
  await run('drop index "invitations_realmId_emailKey"')
  await createTable('invitations', {
    columns: {
      id: 'id',
      realmId: 'integer',
      inviterId: 'integer',
      email: 'text?',
      emailKey: 'text?',
      role: 'integer',
      createdAt: 'real',
      sentAt: 'real',
      lifetimeMinutes: 'integer?',
      expiresAt: 'real?',
      keySeed: 'text',
      keyHash: 'text',
      channelIds: 'text',
      groupIds: 'text',
      includesDefaultChannels: 'integer',
      notifiesInviter: 'integer',
      maxUses: 'integer?',
      uses: 'integer',
      allowedDomains: 'text',
      askedAgainAt: 'real?',
      endedAt: 'real?',
      endedAs: 'text?',
    },
    unique: [['keyHash']],
    indexes: [['realmId', 'emailKey'], ['inviterId']],
    references: { realmId: 'realms', inviterId: 'users' },
  })
  await run(`insert into "invitations" ("id", "realmId", "inviterId", "email", "emailKey", "role", "createdAt", "sentAt",
      "lifetimeMinutes", "expiresAt", "keySeed", "keyHash", "channelIds", "groupIds", "includesDefaultChannels",
      "notifiesInviter", "maxUses", "uses", "allowedDomains", "endedAt", "endedAs")
    select "id", "realmId", "inviterId", "email", "emailKey", "role", "createdAt", "sentAt",
      "lifetimeMinutes", "expiresAt", "keySeed", "keyHash", "channelIds", "groupIds", "includesDefaultChannels",
      "notifiesInviter", 1, case when "endedAs" = 'accepted' then 1 else 0 end, '[]', "endedAt", "endedAs"
    from "formerInvitations"`)
  await run('drop table "formerInvitations"')
}
