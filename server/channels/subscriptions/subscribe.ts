import { findMembershipScope } from '../../groups/membership.ts'
import { insufficientPermission } from '../../people/users/access.ts'
import { requireBelowDailyLimit } from '../../people/users/daily-limits.ts'
import type { Actor } from '../../people/users/user.ts'
import { refusal } from '../../platform/errors/refusal.ts'
import { lockMessageIds } from '../../platform/storage/counters.ts'
import type { Db, Transaction } from '../../platform/storage/storage.ts'
import { hasContentAccess, mayAddSubscribers } from '../access.ts'
import type { Channel } from '../channel.ts'
import { channelNameKey, requireChannelName } from '../channel-name.ts'
import { createChannel } from '../create-channel.ts'
import { requireDescription } from '../description.ts'
import { type NewChannelRequest, requireNewChannelPlan } from '../new-channel-plan.ts'
import { requireAllowedNewChannelSize } from '../new-channel-size.ts'
import { lockChannelNames, lockChannelsByNameKey } from '../queries.ts'
import { findSubscriptionStatuses } from '../subscription-status-queries.ts'
import { findVisibleChannels } from './access.ts'
import { type Principals, requirePrincipals } from './principals.ts'
import { type SubscribeUsersResult, subscribeUsers } from './subscribe-users.ts'
import { toColor } from './subscription.ts'

export const invalidColor = refusal('BAD_REQUEST', 400, 'color is not a valid hex color code')
export const tooManyNewChannels = refusal(
  'BAD_REQUEST',
  400,
  'You cannot create more than {most} channels at once. Name fewer channels.',
)
export const tooManySubscriptions = refusal(
  'BAD_REQUEST',
  400,
  'You cannot add more than {most} subscriptions at once. Name fewer people or channels.',
)
export const noAccessToChannel = refusal('BAD_REQUEST', 400, 'Unable to access channel ({name}).')

/** How many channels one request creates, and how many people it subscribes times to how many channels. */
const MAX_NEW_CHANNELS = 100
const MAX_SUBSCRIPTIONS = 100_000

/** A channel to be subscribed to, and to be made where there is none of that name. */
export type ChannelRequest = { name: string; description?: string | undefined; color?: string | undefined }

export type SubscribeRequest = {
  wishes: readonly ChannelRequest[]
  principals?: Principals | undefined
  /** What the channels that are made are to be like. */
  newChannels: NewChannelRequest
  /** Whether a channel that the actor may not join is left out, rather than the whole request refused. */
  leavesOutUnauthorized: boolean
  /** Whether messages are saved after it, whoever is subscribed. */
  messagesFollow: boolean
}

export type SubscribeResult = SubscribeUsersResult & { created: Channel[]; unauthorized: Channel[] }

/**
 * Subscribes the actor, or the principals, to channels by name, and makes those that do not exist. All that can be
 * refused is refused before anything is written.
 */
export async function subscribe(tx: Transaction, actor: Actor, request: SubscribeRequest): Promise<SubscribeResult> {
  const users = await requirePrincipals(tx.db, actor, request.principals, tx.now)
  const wishes = parseChannelRequests(tx.db, actor, request.wishes)
  if (users.length * wishes.size > MAX_SUBSCRIPTIONS) throw tooManySubscriptions({ most: MAX_SUBSCRIPTIONS })
  const { existing, missing } = await lockRequestedChannels(tx, actor, wishes)
  const { open, closed } = await splitByAccess(tx.db, actor, existing, tx.now)
  // Whoever may not make a channel of that name does not learn that there is one.
  const isHidden =
    closed.length > 0 && closed.length > (await findVisibleChannels(tx.db, actor, users, closed, tx.now)).size
  const makes = missing.length > 0 || isHidden
  const plan = makes ? await requireNewChannelPlan(tx.db, actor, request.newChannels, tx.now) : null
  const [firstClosed] = closed
  if (firstClosed !== undefined && !request.leavesOutUnauthorized) throw noAccessToChannel({ name: firstClosed.name })
  if (missing.length > 0) await requireMayCreateChannels(tx, actor, missing.length)
  const bringsOthers = users.some((user) => user.id !== actor.id)
  if (bringsOthers) await requireMayAddOthers(tx.db, actor, open, tx.now)
  // Others may be told of it by a message, and ids are taken before rows are written: docs/decisions/0002.
  if (bringsOthers || request.messagesFollow) await lockMessageIds(tx)

  const created: Channel[] = []
  const colors = new Map<number, string>()
  if (plan !== null) {
    for (const { name, description } of missing) {
      created.push(await createChannel(tx, actor.realm, { ...plan, ...description, name }))
    }
  }
  if (created.length > 0) await requireAllowedNewChannelSize(tx, actor)
  const channels = [...open, ...created]
  for (const channel of channels) {
    const color = wishes.get(channelNameKey(channel.name))?.color
    if (color !== undefined) colors.set(channel.id, color)
  }
  return { ...(await subscribeUsers(tx, actor.realm, users, channels, colors)), created, unauthorized: closed }
}

async function requireMayCreateChannels(tx: Transaction, actor: Actor, count: number): Promise<void> {
  if (count > MAX_NEW_CHANNELS) throw tooManyNewChannels({ most: MAX_NEW_CHANNELS })
  const limit = tx.db.settings.NEW_CHANNELS_PER_DAY
  if (limit === 0) return
  const creations = { table: 'channels', by: 'creatorId', at: 'createdAt', plural: 'channels' } as const
  await requireBelowDailyLimit(tx.db, actor, creations, { count, limit, now: tx.now })
}

type ParsedRequest = { name: string; description: ReturnType<typeof requireDescription>; color: string | undefined }

/** By the key of the name; of two wishes for one channel the first counts. */
function parseChannelRequests(db: Db, actor: Actor, given: readonly ChannelRequest[]): Map<string, ParsedRequest> {
  const wishes = new Map<string, ParsedRequest>()
  for (const { name: givenName, description = '', color: givenColor } of given) {
    const name = requireChannelName(givenName)
    const color = givenColor === undefined ? undefined : toColor(givenColor)
    if (color === null) throw invalidColor()
    const wish = { name, description: requireDescription(description, actor.realm, db.settings.EXTERNAL_URL), color }
    if (!wishes.has(channelNameKey(name))) wishes.set(channelNameKey(name), wish)
  }
  return wishes
}

/**
 * Names that are missing are locked first: nobody makes a channel of that name meanwhile. Nor does anybody change who may
 * join the others.
 */
async function lockRequestedChannels(
  tx: Transaction,
  actor: Actor,
  wishes: ReadonlyMap<string, ParsedRequest>,
): Promise<{ existing: Channel[]; missing: ParsedRequest[] }> {
  const names = Array.from(wishes.values(), (wish) => wish.name)
  let found = await lockChannelsByNameKey(tx, actor.realmId, names)
  if (found.size < wishes.size) {
    await lockChannelNames(tx, actor.realmId)
    found = await lockChannelsByNameKey(tx, actor.realmId, names)
  }
  const keys = [...wishes.keys()]
  return {
    existing: keys.flatMap((key) => found.get(key) ?? []),
    missing: keys.flatMap((key) => (found.has(key) ? [] : (wishes.get(key) ?? []))),
  }
}

/** Which of the channels the actor can read, and so may be subscribed to. */
async function splitByAccess(
  db: Db,
  actor: Actor,
  channels: readonly Channel[],
  now: number,
): Promise<{ open: Channel[]; closed: Channel[] }> {
  const scope = await findMembershipScope(db, actor, now)
  const doubtful = channels.filter((channel) => !hasContentAccess(scope, actor, channel, false))
  const ids = doubtful.map((channel) => channel.id)
  const standings = doubtful.length === 0 ? new Map() : await findSubscriptionStatuses(db, actor.id, ids)
  const closed = doubtful.filter((channel) => standings.get(channel.id) !== 'subscribed')
  return { open: channels.filter((channel) => !closed.includes(channel)), closed }
}

async function requireMayAddOthers(db: Db, actor: Actor, channels: readonly Channel[], now: number): Promise<void> {
  const scope = await findMembershipScope(db, actor, now)
  if (channels.some((channel) => !mayAddSubscribers(scope, actor, channel, false))) throw insufficientPermission()
}
