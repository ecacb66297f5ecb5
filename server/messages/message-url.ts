import { encodeHash } from '#markdown/inline/channel-link.ts'
import { type Realm, realmAddress } from '#realms/realm.ts'
import type { ReadableMessage } from './access.ts'
import type { ChannelTopic } from './conversation.ts'

export function messageUrl(realm: Realm, externalUrl: string, { message, conversation }: ReadableMessage): string {
  if (conversation.channel !== null) return channelMessageUrl(realm, externalUrl, conversation, message.id)
  const { url } = realmAddress(realm.subdomain, externalUrl)
  return `${url}/#narrow/dm/${conversation.direct.participantIds.join()}-dm/near/${message.id}`
}

/** Like `messageUrl`, for a message in a channel topic. */
export function channelMessageUrl(
  realm: Realm,
  externalUrl: string,
  { channel, topic }: ChannelTopic,
  id: number,
): string {
  const { url } = realmAddress(realm.subdomain, externalUrl)
  const name = `${channel.id}-${encodeHash(channel.name.replaceAll(' ', '-'))}`
  return `${url}/#narrow/channel/${name}/topic/${encodeHash(topic)}/near/${id}`
}
