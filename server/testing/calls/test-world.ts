import { type Channel, requireDescription } from '#channels/channel.ts'
import { type NewChannel, saveChannel, saveChannelFields, saveDefaultChannel } from '#channels/queries.ts'
import { defaultColor } from '#channels/subscriptions.ts'
import { createOrganization } from '#organizations/create-organization.ts'
import { issueApiKey } from '#people/api-keys.ts'
import { saveUser, saveUserFields } from '#people/user-queries.ts'
import type { User } from '#people/users.ts'
import { findRealmBySubdomain, saveRealmFields } from '#realms/queries.ts'
import { type Realm, realmAddress } from '#realms/realm.ts'
import { BotType, Role } from '#rules/role.ts'
import type { Transaction } from '#storage/storage.ts'

const DAYS_OLD = 30 * 86_400

const people = {
  owner: Role.owner,
  admin: Role.administrator,
  moderator: Role.moderator,
  alice: Role.member,
  bob: Role.member,
  carol: Role.member,
  guest: Role.guest,
  deactivated: Role.member,
} as const

const bots = { alicebot: BotType.generic, webhookbot: BotType.incomingWebhook } as const

const channels = {
  pub: { subscribers: ['alice', 'bob'] },
  def1: { subscribers: ['alice'] },
  web: { subscribers: ['alice'], isWebPublic: true },
  shared: { subscribers: ['alice'], isPrivate: true },
  protected: { subscribers: ['alice'], isPrivate: true, isHistoryShared: false },
  archived: { subscribers: ['alice'] },
} as const satisfies Record<string, { subscribers: (keyof typeof people)[]; [trait: string]: unknown }>

type PresetChannel = { subscribers: readonly string[] } & Partial<Omit<NewChannel, 'realmId' | 'name'>>

/** Additions to the standard test organization, or replacements for parts of it. */
export type Preset = {
  names?: Readonly<Record<string, string>>
  people?: Readonly<Record<string, Role>>
  channels?: Readonly<Record<string, PresetChannel>>
}

export type TestWorld = {
  realm: Realm
  /** The accounts by their names in the response. */
  users: ReadonlyMap<string, User>
  json: object
}

/** The password of all accounts: as typed, and as stored. */
export type SharedPassword = { text: string; hash: string }

/**
 * Creates an organization with people, bots and channels on which all tests can rely; its JSON is specified in
 * testing-api.md.
 */
export async function createWorld(
  tx: Transaction,
  given: { subdomain?: string; name?: string },
  password: SharedPassword,
  preset: Preset = {},
): Promise<TestWorld> {
  const subdomain = given.subdomain ?? (await freeSubdomain(tx))
  const realm = await createOrganization(tx, subdomain, given.name ?? (subdomain || 'Root'))
  const bornAt = tx.now - DAYS_OLD
  await saveRealmFields(tx, realm.id, { createdAt: bornAt })

  const accounts: Record<string, { user: User; apiKey: string }> = {}
  const enrol = async (name: string, role: Role, bot: { botType?: number; botOwnerId?: number } = {}) => {
    const user = await saveUser(tx, {
      realmId: realm.id,
      deliveryEmail: `${name}@${subdomain === '' ? '' : `${subdomain}.`}example.com`,
      fullName: preset.names?.[name] ?? name[0]?.toUpperCase() + name.slice(1),
      role,
      joinedAt: bornAt,
      ...(bot.botType === undefined && { passwordHash: password.hash }),
      ...bot,
    })
    accounts[name] = { user, apiKey: await issueApiKey(tx, user.id, 'test') }
    return user
  }
  for (const [name, role] of Object.entries({ ...people, ...preset.people })) {
    const user = await enrol(name, role)
    if (name === 'deactivated') await saveUserFields(tx, user.id, { deactivatedAt: tx.now })
  }
  const botOwnerId = accounts['alice']?.user.id as number
  for (const [name, botType] of Object.entries(bots)) await enrol(name, Role.member, { botType, botOwnerId })
  const planned = { ...channels, ...preset.channels }
  const made = await saveChannels(tx, realm, planned, (name) => accounts[name]?.user.id as number)

  const { hostName, url } = realmAddress(subdomain, tx.db.settings.EXTERNAL_URL)
  return {
    realm,
    users: new Map(Object.entries(accounts).map(([name, { user }]) => [name, user])),
    json: {
      organization: { id: realm.id, subdomain, name: realm.name, host: hostName, url },
      users: Object.fromEntries(
        Object.entries(accounts).map(([name, { user, apiKey }]) => [name, toAccountJson(user, apiKey, password)]),
      ),
      channels: Object.fromEntries(
        Object.entries(made).map(([name, channel]) => [name, { stream_id: channel.id, name: channel.name }]),
      ),
    },
  }
}

async function freeSubdomain(tx: Transaction): Promise<string> {
  const { id } = await tx.db
    .selectFrom('realms')
    .select((is) => is.fn.max('id').as('id'))
    .executeTakeFirstOrThrow()
  for (let number = Number(id ?? 0) + 1; ; number += 1) {
    if ((await findRealmBySubdomain(tx.db, `org${number}`)) === null) return `org${number}`
  }
}

async function saveChannels(
  tx: Transaction,
  realm: Realm,
  planned: Readonly<Record<string, PresetChannel>>,
  idOf: (name: string) => number,
): Promise<Record<string, Channel>> {
  const made: Record<string, Channel> = {}
  for (const [name, { subscribers, description = '', ...traits }] of Object.entries(planned)) {
    const channel = await saveChannel(tx, {
      realmId: realm.id,
      name,
      ...requireDescription(description, realm, tx.db.settings.EXTERNAL_URL),
      isPrivate: false,
      isWebPublic: false,
      isHistoryShared: true,
      creatorId: null,
      settings: {},
      ...traits,
    })
    const row = {
      color: defaultColor(channel.id),
      isMuted: 0,
      isPinned: 0,
      settings: '{}',
      unsubscribedAt: null,
    } as const
    await tx
      .insertInto('subscriptions')
      .values(subscribers.map((who) => ({ userId: idOf(who), channelId: channel.id, subscribedAt: tx.now, ...row })))
      .execute()
    if (name === 'def1') await saveDefaultChannel(tx, realm.id, channel.id)
    if (name === 'archived') await saveChannelFields(tx, channel.id, { archivedAt: tx.now })
    made[name] = channel
  }
  return made
}

function toAccountJson(user: User, apiKey: string, password: SharedPassword): object {
  return {
    user_id: user.id,
    email: user.deliveryEmail,
    delivery_email: user.deliveryEmail,
    full_name: user.fullName,
    role: user.role,
    is_bot: user.botType !== null,
    api_key: apiKey,
    password: user.botType === null ? password.text : '',
    date_joined: new Date(Math.floor(user.joinedAt) * 1000).toISOString().replace('.000Z', '+00:00'),
  }
}
