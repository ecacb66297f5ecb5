import { findSubscriptionStatuses } from '#channels/access.ts'
import { type Channel, channelNameKey } from '#channels/channel.ts'
import { findChannelsByName } from '#channels/queries.ts'
import type { Settings } from '#config.ts'
import { findRealmGroups } from '#groups/queries.ts'
import type { Viewer } from '#groups/viewer.ts'
import { refusal } from '#lib/errors.ts'
import type { ExternalContentKey } from '#lib/external-content-address.ts'
import type { Requester } from '#lib/fair-queue.ts'
import { pathIdsNamedIn, withProxiedMedia } from '#markdown/previews.ts'
import { CannotRender, RENDERER_VERSION, renderInWorker, renderMarkdown } from '#markdown/render.ts'
import {
  type MentionCandidates,
  type MentionedUser,
  mentionCandidates,
  type Rendering,
  type RenderScope,
} from '#markdown/scope.ts'
import { isBot, isVisible, requesterOf, type User } from '#people/users.ts'
import { emojiUrl, extraEmojiUrl, findRealmEmoji, isExtraEmoji } from '#realms/emoji.ts'
import { findLinkifiers } from '#realms/linkifiers.ts'
import { findRealmBySubdomain, findRealmUrls } from '#realms/queries.ts'
import { type Realm, SYSTEM_SUBDOMAIN } from '#realms/realm.ts'
import { mayListMessages } from '#rules/permissions.ts'
import { MAX_MESSAGE_LENGTH } from '#rules/shared-limits.ts'
import { defineCache } from '#storage/cache.ts'
import { defineQuery, idsIn } from '#storage/sql.ts'
import type { Db } from '#storage/storage.ts'
import { type Author, authorOf, isSystemBot } from './access.ts'
import { pathIdOf, toPreview } from './attachments.ts'
import type { ChannelTopic, Message } from './message.ts'
import { loadFirstMessageIds } from './topic-links.ts'
import { findReadableAttachments } from './uploads/claims.ts'

// The content of messages: its length and form, and rendering with all names that the author may mention or link to.
// References that the author may not see stay text. Rendering costs a limited amount of work; a message that needs
// more is refused.

export type MentionableUser = MentionedUser & Pick<User, 'botType'>

export const messageEmpty = refusal('BAD_REQUEST', 400, 'Message must not be empty', { field: 'content' })
export const messageContainsNull = refusal('BAD_REQUEST', 400, 'Message must not contain null bytes', {
  field: 'content',
})

const TRUNCATION_MARK = '\n[message truncated]'

/** Returns the content in the form in which it is stored. Refuses empty content. */
export function requireContent(given: string): string {
  const content = normalizeContent(given)
  if (content === '') throw messageEmpty()
  return content
}

/** Like `requireContent`, but empty content becomes "(deleted)". */
export function requireEditedContent(given: string): string {
  return normalizeContent(given) || '(deleted)'
}

/** Removes trailing white space and leading empty lines, and truncates the content. */
export function normalizeContent(given: string): string {
  if (given.includes('\0')) throw messageContainsNull()
  return truncateContent(given.trimEnd().replace(/^\n+/, ''))
}

function truncateContent(content: string): string {
  if (content.length <= MAX_MESSAGE_LENGTH) return content
  const characters = Array.from(content)
  if (characters.length <= MAX_MESSAGE_LENGTH) return content
  return characters.slice(0, MAX_MESSAGE_LENGTH - TRUNCATION_MARK.length).join('') + TRUNCATION_MARK
}

/** The users whom mentions can name: the users of an organization, including deactivated ones, and the system bots. */
type MentionableUsers = {
  withId(id: number): MentionableUser | undefined
  /**
   * Returns the user with this name; case is ignored. If several users have the name, users of the organization take
   * precedence over system bots, then active users over deactivated ones, then the lowest id.
   */
  named(name: string): MentionableUser | undefined
}

/** A user, and whether the user belongs to the organization. */
type Candidate = { readonly user: MentionableUser; readonly isOfRealm: boolean }

/** All candidates as they were when they were read, and those that have changed since then. */
type Candidates = {
  readonly byId: ReadonlyMap<number, Candidate>
  /** By name in lower case. */
  readonly byName: ReadonlyMap<string, readonly Candidate[]>
  readonly changed: ReadonlyMap<number, Candidate>
}

/** The maximum number of changed candidates. If there are more, all candidates are read again. */
const MAX_CHANGED = 100

const mentionableUsers = defineCache<number, Candidates>({
  dependsOn: ['users'],
  limit: 100,
  load: readAll,
  async update(db, realmId, before, userIds) {
    const rows = await rowsWithin(db, realmId, (await findSystemRealmId(db)) ?? realmId, JSON.stringify(userIds))
    const differing = toCandidates(rows, realmId).filter(
      (candidate) => !isSame(candidate, findById(before, candidate.user.id)),
    )
    if (differing.length === 0) return before
    const changed = new Map([
      ...before.changed,
      ...differing.map((candidate) => [candidate.user.id, candidate] as const),
    ])
    return changed.size > MAX_CHANGED ? readAll(db, realmId) : { ...before, changed }
  },
})

async function readAll(db: Db, realmId: number): Promise<Candidates> {
  const rows = await candidateRows(db, realmId, (await findSystemRealmId(db)) ?? realmId).execute()
  const candidates = toCandidates(rows, realmId)
  return {
    byId: new Map(candidates.map((candidate) => [candidate.user.id, candidate])),
    byName: Map.groupBy(candidates, nameOf),
    changed: new Map(),
  }
}

const findSystemRealmId = async (db: Db) => (await findRealmBySubdomain(db, SYSTEM_SUBDOMAIN))?.id

const candidateRows = (db: Db, realmId: number, systemRealmId: number) =>
  db
    .selectFrom('users')
    .select(['id', 'realmId', 'fullName', 'botType', 'deactivatedAt'])
    .where((is) => is.or([is('realmId', '=', realmId), is('realmId', '=', systemRealmId)]))

const rowsWithin = defineQuery((db, realmId: number, systemRealmId: number, userIds: string) =>
  candidateRows(db, realmId, systemRealmId).where('id', 'in', idsIn(db.dialect, userIds)),
)

type CandidateRow = Omit<MentionableUser, 'isSilent'> & { realmId: number; deactivatedAt: number | null }

const toCandidates = (rows: readonly CandidateRow[], ofRealmId: number): Candidate[] =>
  rows.map(({ id, fullName, botType, realmId, deactivatedAt }) => {
    return { user: { id, fullName, botType, isSilent: deactivatedAt !== null }, isOfRealm: realmId === ofRealmId }
  })

const nameOf = ({ user }: Candidate) => user.fullName.toLowerCase()

const findById = ({ byId, changed }: Candidates, id: number) => changed.get(id) ?? byId.get(id)

const isSame = ({ user }: Candidate, before: Candidate | undefined) =>
  before?.user.fullName === user.fullName && before.user.isSilent === user.isSilent

function findByName({ byName, changed }: Candidates, name: string): Candidate | undefined {
  const key = name.toLowerCase()
  const kept = byName.get(key)?.filter(({ user }) => !changed.has(user.id)) ?? []
  const namesakes = [...kept, ...changed.values().filter((candidate) => nameOf(candidate) === key)]
  return namesakes.reduce<Candidate | undefined>(
    (first, next) => (first === undefined || precedes(next, first) ? next : first),
    undefined,
  )
}

function precedes({ user, isOfRealm }: Candidate, other: Candidate): boolean {
  if (isOfRealm !== other.isOfRealm) return isOfRealm
  if (user.isSilent !== other.user.isSilent) return user.isSilent !== true
  return user.id < other.user.id
}

export async function findMentionableUsers(db: Db, realmId: number): Promise<MentionableUsers> {
  const candidates = await mentionableUsers.get(db, realmId)
  return {
    withId: (id) => findById(candidates, id)?.user,
    named: (name) => findByName(candidates, name)?.user,
  }
}

export const unableToRender = refusal('BAD_REQUEST', 400, 'Unable to render message', { field: 'content' })

/**
 * The maximum length of a message's HTML, in UTF-16 units. Short content can produce very long HTML, for example a
 * table in a formula.
 */
const MAX_RENDERED_LENGTH = 50 * MAX_MESSAGE_LENGTH

/**
 * Returns the HTML of the content and its mentions. Users, channels and groups that the author may not see stay plain
 * text. Refuses content that takes too much work or whose HTML is too long. `isLimited` is false for messages that the
 * server sends later. If the author of such a message exceeds the rendering limit, the message waits instead of being
 * refused. `linkPreviews` are the known previews of websites.
 */
export async function renderContent(
  viewer: Viewer,
  content: string,
  { isLimited = true, linkPreviews = new Map(), client }: RenderOptions = {},
): Promise<Rendering> {
  const requester = requesterOf(viewer.actor, isLimited && viewer.db.settings.RATE_LIMITING)
  const scope = await loadScope(viewer, content)
  const isForeign = client === FOREIGN_CLIENT
  const showsPreviews = !isForeign && showsLinkPreviews(authorOf(viewer.actor), viewer.db.settings)
  const outside = { linkPreviews: showsPreviews ? linkPreviews : null, ...(isForeign && { externalContentKey: null }) }
  const rendering = await renderInScope(content, { ...scope, ...outside }, requester)
  if (rendering === null) throw unableToRender()
  return rendering
}

type RenderOptions = { isLimited?: boolean; linkPreviews?: RenderScope['linkPreviews']; client?: string }

/**
 * The client of messages that are emails to a channel. Their text is not by a user, and may be made to find out who
 * reads it: they show nothing of other sites.
 */
export const FOREIGN_CLIENT = 'Email to channel'

/** Returns the key for the addresses of pictures of other sites; null if the server does not fetch such pictures. */
export const externalContentKeyOf = (db: Db): ExternalContentKey | null =>
  db.settings.EXTERNAL_CONTENT
    ? { secret: db.secret(), privateHosts: db.settings.EXTERNAL_CONTENT_PRIVATE_HOSTS }
    : null

/** Returns true if an older renderer produced the HTML of the message. */
export function isOutdated({ renderedVersion }: Pick<Message, 'renderedVersion'>): boolean {
  return renderedVersion < RENDERER_VERSION
}

/**
 * Returns the message as readers may get it: if an older renderer produced its HTML, its pictures of other sites get
 * addresses of this server.
 */
export function withCurrentAddresses<Shown extends Message>(db: Db, message: Shown): Shown {
  const key = isOutdated(message) ? externalContentKeyOf(db) : null
  return key === null ? message : { ...message, renderedContent: withProxiedMedia(message.renderedContent, key) }
}

/** Returns true if messages from the author show previews of websites. Messages from bots never do. */
export const showsLinkPreviews = ({ user, realm }: { user: User; realm: Realm }, settings: Settings): boolean =>
  settings.LINK_PREVIEWS && realm.settings.inline_url_embed_preview && !isBot(user)

/** Renders in a given scope; returns null if that takes too much work or the HTML is too long. */
export async function renderInScope(
  content: string,
  scope: RenderScope,
  requester: Requester,
): Promise<Rendering | null> {
  try {
    const rendering = await renderInWorker(content, scope, requester)
    return rendering.html.length <= MAX_RENDERED_LENGTH ? rendering : null
  } catch (error) {
    if (error instanceof CannotRender) return null
    throw error
  }
}

/** Like `renderContent`, for notices from the server, within a transaction. Formulas and code stay source text. */
export async function renderNotice(viewer: Viewer, content: string): Promise<Rendering> {
  return renderMarkdown(content, await loadScope(viewer, content))
}

/** Loads everything that the text may refer to, so that rendering needs no queries. */
async function loadScope(viewer: Viewer, content: string): Promise<RenderScope> {
  const author = authorOf(viewer.actor)
  const { db } = viewer
  const { user, realm } = author
  const candidates = mentionCandidates(content)
  const { compiled } = await findLinkifiers(db, realm.id)
  const channels = await findReadableChannels(viewer, candidates)
  return {
    realmUrls: await findRealmUrls(db, realm),
    ...(await userLookups(viewer, candidates)),
    findGroupByName: await groupLookup(db, author, candidates),
    findChannelByName: (name) => channels.get(channelNameKey(name)) ?? null,
    findFirstIn: await loadFirstMessageIds(db, author, linkedTopics(channels, candidates)),
    findCustomEmoji: await emojiLookup(db, author),
    linkifiers: compiled,
    translateEmoticons: user.settings.translate_emoticons,
    writers: null,
    codeLanguage: realm.settings.default_code_block_language,
    previewsMedia: realm.settings.inline_image_preview,
    images: await findImages(viewer, content),
    externalContentKey: externalContentKeyOf(db),
    linkPreviews: null,
  }
}

async function userLookups(
  viewer: Viewer,
  { userNames }: MentionCandidates,
): Promise<Pick<RenderScope, 'findUserByName' | 'findUserById'>> {
  const author = authorOf(viewer.actor)
  const { db } = viewer
  if (userNames.length === 0) return { findUserByName: () => null, findUserById: () => null }
  const { named, withId } = await findMentionableUsers(db, author.realm.id)
  const visibleIds = isSystemBot(author) ? null : await viewer.visibleIds()
  const visible = (user: MentionableUser | undefined) =>
    user !== undefined && isVisible(visibleIds, user) ? user : null
  return {
    findUserByName: (name) => visible(named(name)),
    findUserById: (id) => visible(withId(id)),
  }
}

async function groupLookup(
  db: Db,
  { realm }: Author,
  { groupNames }: MentionCandidates,
): Promise<RenderScope['findGroupByName']> {
  if (groupNames.length === 0) return () => null
  const groups = [...(await findRealmGroups(db, realm.id)).byId.values()]
  return (name) => {
    const named = groups.filter((group) => group.name.toLowerCase() === name.toLowerCase())
    const group = named.find(({ deactivatedAt }) => deactivatedAt === null) ?? named[0]
    return group === undefined ? null : { id: group.id, name: group.name, isSilent: group.deactivatedAt !== null }
  }
}

/** Returns the channels that the content names and the author may read, by name in lower case. */
async function findReadableChannels(
  viewer: Viewer,
  { channelNames }: MentionCandidates,
): Promise<ReadonlyMap<string, Channel>> {
  const author = authorOf(viewer.actor)
  const { db } = viewer
  if (channelNames.length === 0) return new Map()
  const channels = await onlyReadable(viewer, await findChannelsByName(db, author.realm.id, channelNames))
  return new Map(channels.map((channel) => [channelNameKey(channel.name), channel]))
}

async function onlyReadable(viewer: Viewer, channels: readonly Channel[]): Promise<readonly Channel[]> {
  const author = authorOf(viewer.actor)
  const { db } = viewer
  if (isSystemBot(author)) return channels
  const { actor } = viewer
  const scope = await viewer.scope()
  // This query runs even if no channel was found, so that a hidden channel takes the same queries as a missing one.
  const statuses = await findSubscriptionStatuses(
    db,
    actor.id,
    channels.map((channel) => channel.id),
  )
  return channels.filter((channel) => mayListMessages(scope, actor, channel, statuses.get(channel.id) === 'subscribed'))
}

function linkedTopics(channels: ReadonlyMap<string, Channel>, { topics }: MentionCandidates): ChannelTopic[] {
  return topics.flatMap(({ channel: name, topic }) => {
    const channel = channels.get(channelNameKey(name))
    return channel === undefined ? [] : [{ channel, topic }]
  })
}

async function emojiLookup(db: Db, { realm }: Author): Promise<RenderScope['findCustomEmoji']> {
  const emoji = await findRealmEmoji(db, realm.id)
  return (name) => {
    const custom = emoji.find((each) => each.name === name && each.deactivatedAt === null)
    if (custom !== undefined) return { url: emojiUrl(custom) }
    return isExtraEmoji(name) ? { url: extraEmojiUrl(name) } : null
  }
}

/** Loads the previews of the linked images that the author may see. */
async function findImages(viewer: Viewer, content: string): Promise<RenderScope['images']> {
  const author = authorOf(viewer.actor)
  const named = pathIdsNamedIn(content)
  if (named.size === 0 || isSystemBot(author)) return new Map()
  const readable = await findReadableAttachments(viewer, named)
  return new Map(
    readable.flatMap((attachment) => {
      const preview = toPreview(attachment)
      return preview === null ? [] : [[pathIdOf(attachment), preview]]
    }),
  )
}
