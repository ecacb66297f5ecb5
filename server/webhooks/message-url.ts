import { encodeHash } from '../markdown/inline/channel-link.ts'
import type { ReadableMessage } from '../messages/access.ts'
import { addressOf, type Realm } from '../realms/realm.ts'

/** Where clients show the message. */
export function messageUrl(realm: Realm, externalUrl: string, { message, place }: ReadableMessage): string {
  const { url } = addressOf(realm.subdomain, externalUrl)
  if (place.channel === null)
    return `${url}/#narrow/dm/${place.conversation.participantIds.join()}-dm/near/${message.id}`
  const { id, name } = place.channel
  const channel = `${id}-${encodeHash(name.replaceAll(' ', '-'))}`
  return `${url}/#narrow/channel/${channel}/topic/${encodeHash(message.topic)}/near/${message.id}`
}
