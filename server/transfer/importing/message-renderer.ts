import { type Channel, channelNameKey } from '#channels/channel.ts'
import { findRealmGroups } from '#groups/queries.ts'
import { viewerOf } from '#groups/viewer.ts'
import { SERVER_REQUESTER } from '#lib/fair-queue.ts'
import { escapeHtml } from '#lib/html.ts'
import { pathIdsNamedIn } from '#markdown/previews.ts'
import type { RenderScope } from '#markdown/scope.ts'
import { toPreview } from '#messages/attachments.ts'
import { externalContentKeyOf, findMentionableUsers, type MentionableUser, renderInScope } from '#messages/content.ts'
import { isVisible, type User } from '#people/users.ts'
import { emojiUrl, extraEmojiUrl, findRealmEmoji, isExtraEmoji } from '#realms/emoji.ts'
import { findLinkifiers } from '#realms/linkifiers.ts'
import { findRealmUrls } from '#realms/queries.ts'
import type { Realm } from '#realms/realm.ts'
import { isAdministrator, isGuest } from '#rules/role.ts'
import type { Transaction } from '#storage/storage.ts'
import type { ImportedChannels } from './channels.ts'
import type { ImportedFile, ImportedFiles } from './files.ts'
import type { ImportReport } from './import-report.ts'

/**
 * Returns whether an imported message of the sender may link to the channel. The channel's own groups, which may still
 * be missing during an import, are not considered.
 */
function mayReferToChannel(sender: User, channel: Channel, isSubscribed: boolean): boolean {
  if (channel.isWebPublic || isAdministrator(sender) || isSubscribed) return true
  return !channel.isPrivate && !isGuest(sender)
}

/** Renders the content of the export as if its senders had written it here. */
type MessageRenderer = {
  render(text: string, sender: User, mayLink: (file: ImportedFile) => boolean): Promise<string>
}

type Parts = { realm: Realm; channels: ImportedChannels; files: ImportedFiles; report: ImportReport }

/** Everything that content may refer to is read once, because it does not change during the import. */
export async function openMessageRenderer(tx: Transaction, parts: Parts): Promise<MessageRenderer> {
  const { realm, channels, files, report } = parts
  const { named, withId } = await findMentionableUsers(tx.db, realm.id)
  const groups = [...(await findRealmGroups(tx.db, realm.id)).byId.values()]
  const groupByName = new Map(groups.map((group) => [group.name.toLowerCase(), group]))
  for (const group of groups) if (group.deactivatedAt === null) groupByName.set(group.name.toLowerCase(), group)
  const channelByName = new Map([...channels.values()].map((channel) => [channelNameKey(channel.name), channel]))
  const emoji = (await findRealmEmoji(tx.db, realm.id)).filter(({ deactivatedAt }) => deactivatedAt === null)
  const emojiByName = new Map(emoji.map((one) => [one.name, one]))
  const { compiled } = await findLinkifiers(tx.db, realm.id)
  const realmUrls = await findRealmUrls(tx.db, realm)
  const joined = await findJoined(tx, realm)
  const visible = new Map<number, ReadonlySet<number> | null>()

  async function visibleTo(sender: User): Promise<ReadonlySet<number> | null> {
    if (sender.realmId !== realm.id) return null
    if (!visible.has(sender.id))
      visible.set(sender.id, await viewerOf(tx.db, { ...sender, realm }, tx.now).visibleIds())
    return visible.get(sender.id) ?? null
  }

  /** Returns whether the sender may see the channel. References to other channels stay text, as in new messages. */
  function knows(sender: User, channel: Channel): boolean {
    return sender.realmId !== realm.id || mayReferToChannel(sender, channel, joined.has(`${sender.id} ${channel.id}`))
  }

  return {
    async render(text, sender, mayLink) {
      const visibleIds = await visibleTo(sender)
      const seen = (user: MentionableUser | undefined) => (user && isVisible(visibleIds, user) ? user : null)
      const linked = [...pathIdsNamedIn(text)].map((path) => files.byPath.get(path))
      const scope: RenderScope = {
        realmUrls,
        findUserByName: (name) => seen(named(name)),
        findUserById: (id) => seen(withId(id)),
        findGroupByName(name) {
          const group = groupByName.get(name.toLowerCase())
          return group === undefined ? null : { id: group.id, name: group.name, isSilent: group.deactivatedAt !== null }
        },
        findChannelByName(name) {
          const channel = channelByName.get(channelNameKey(name))
          return channel !== undefined && knows(sender, channel) ? channel : null
        },
        // Not all messages have been imported yet.
        findFirstIn: () => null,
        findCustomEmoji(name) {
          const custom = emojiByName.get(name)
          if (custom !== undefined) return { url: emojiUrl(custom) }
          return isExtraEmoji(name) ? { url: extraEmojiUrl(name) } : null
        },
        linkifiers: compiled,
        translateEmoticons: sender.settings.translate_emoticons,
        writers: null,
        codeLanguage: realm.settings.default_code_block_language,
        previewsMedia: realm.settings.inline_image_preview,
        externalContentKey: externalContentKeyOf(tx.db),
        linkPreviews: null,
        images: new Map(
          linked.flatMap((file) => {
            const preview = file !== undefined && mayLink(file) ? toPreview(file.attachment) : null
            return preview === null ? [] : [[preview.url.slice('/user_uploads/'.length), preview]]
          }),
        ),
      }
      const rendering = await renderInScope(text, scope, SERVER_REQUESTER)
      if (rendering !== null) return rendering.html
      report.add('message formatting', 'they take too long to render: their source is shown')
      return `<p>${escapeHtml(text)}</p>`
    },
  }
}

async function findJoined(tx: Transaction, realm: Realm): Promise<ReadonlySet<string>> {
  const rows = await tx.db
    .selectFrom('subscriptions')
    .innerJoin('channels', 'channels.id', 'subscriptions.channelId')
    .select(['userId', 'channelId'])
    .where('channels.realmId', '=', realm.id)
    .where('unsubscribedAt', 'is', null)
    .execute()
  return new Set(rows.map(({ userId, channelId }) => `${userId} ${channelId}`))
}
