import { compileLinkifier, type Linkifier, type LinkifierSource } from './linkifier.ts'
import {
  type MentionedGroup,
  type MentionedUser,
  mentionCandidates,
  type NamedItem,
  type Renderers,
  type RenderScope,
} from './scope.ts'

// The part of a scope that one message refers to, as plain data that can be sent to the rendering thread.

type Found<Key, Value> = readonly (readonly [Key, Value])[]

/** The data of a scope that one message refers to, in a form that can be sent to another thread. */
export type ScopeData = Pick<
  RenderScope,
  | 'realmUrls'
  | 'translateEmoticons'
  | 'codeLanguage'
  | 'previewsMedia'
  | 'images'
  | 'externalContentKey'
  | 'linkPreviews'
> & {
  usersByName: Found<string, MentionedUser>
  usersById: Found<number, MentionedUser>
  groups: Found<string, MentionedGroup>
  channels: Found<string, NamedItem>
  /** The key is the result of `topicName`. */
  firsts: Found<string, number>
  emoji: Found<string, { readonly url: string }>
  linkifiers: readonly LinkifierSource[]
}

export function toScopeData(scope: RenderScope, text: string): ScopeData {
  const { userNames, userIds, groupNames, channelNames, topics } = mentionCandidates(text)
  const emojiNames = [...new Set([...text.matchAll(/:(?=([\p{L}\p{N}_+-]+):)/gu)].map((match) => match[1] ?? ''))]
  return {
    realmUrls: scope.realmUrls,
    translateEmoticons: scope.translateEmoticons,
    codeLanguage: scope.codeLanguage,
    previewsMedia: scope.previewsMedia,
    images: scope.images,
    externalContentKey: scope.externalContentKey,
    linkPreviews: scope.linkPreviews,
    usersByName: found(userNames, toMentionedUser, scope.findUserByName),
    usersById: found(userIds, toMentionedUser, scope.findUserById),
    groups: found(groupNames, toMentionedGroup, scope.findGroupByName),
    channels: found(channelNames, toNamedThing, scope.findChannelByName),
    firsts: topics.flatMap(({ channel, topic }): Found<string, number> => {
      const { id } = scope.findChannelByName(channel) ?? {}
      const first = id === undefined ? null : scope.findFirstIn(id, topic)
      return id === undefined || first === null ? [] : [[topicName(id, topic), first]]
    }),
    emoji: found(emojiNames, ({ url }: { readonly url: string }) => ({ url }), scope.findCustomEmoji),
    linkifiers: scope.linkifiers.map(({ source }) => source),
  }
}

const topicName = (channelId: number, topic: string) => `${channelId} ${topic}`

export function fromScopeData(data: ScopeData, renderers: Renderers | null): RenderScope {
  const findFirst = lookUp(data.firsts)
  return {
    realmUrls: data.realmUrls,
    translateEmoticons: data.translateEmoticons,
    codeLanguage: data.codeLanguage,
    previewsMedia: data.previewsMedia,
    images: data.images,
    externalContentKey: data.externalContentKey,
    linkPreviews: data.linkPreviews,
    findUserByName: lookUp(data.usersByName),
    findUserById: lookUp(data.usersById),
    findGroupByName: lookUp(data.groups),
    findChannelByName: lookUp(data.channels),
    findFirstIn: (channelId, topic) => findFirst(topicName(channelId, topic)),
    findCustomEmoji: lookUp(data.emoji),
    linkifiers: data.linkifiers.map(compiled),
    writers: renderers,
  }
}

const toMentionedUser = ({ id, fullName, isSilent = false }: MentionedUser): MentionedUser => ({
  id,
  fullName,
  isSilent,
})

const toMentionedGroup = ({ id, name, isSilent = false }: MentionedGroup): MentionedGroup => ({ id, name, isSilent })

const toNamedThing = ({ id, name }: NamedItem): NamedItem => ({ id, name })

/** Lookup results may contain further data; only the requested fields are sent to the other thread. */
function found<Key, Value>(
  keys: readonly Key[],
  pick: (value: Value) => Value,
  find: (key: Key) => Value | null,
): Found<Key, Value> {
  return keys.flatMap((key): Found<Key, Value> => {
    const value = find(key)
    return value === null ? [] : [[key, pick(value)]]
  })
}

function lookUp<Key, Value>(entries: Found<Key, Value>): (key: Key) => Value | null {
  const values = new Map(entries)
  return (key) => values.get(key) ?? null
}

/** The maximum number of compiled linkifiers to keep. */
const MAX_COMPILED = 1000

const linkifiers = new Map<string, Linkifier>()

function compiled(source: LinkifierSource): Linkifier {
  const key = JSON.stringify([source.pattern, source.urlTemplate])
  const known = linkifiers.get(key) ?? compileLinkifier(source)
  if (linkifiers.size >= MAX_COMPILED) linkifiers.clear()
  linkifiers.set(key, known)
  return known
}
