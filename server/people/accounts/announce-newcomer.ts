import { findChannel } from '../../channels/queries.ts'
import { prepareThreadNotice, silentMention } from '../../messages/sending/notices.ts'
import { saveMessage } from '../../messages/sending/send-message.ts'
import type { Realm } from '../../organizations/realms/realm.ts'
import type { Transaction } from '../../platform/storage/storage.ts'
import type { User } from '../users/user.ts'

/** Posts a message by the notification bot in the organization's channel for sign-ups, if it has one. */
export async function announceNewUser(tx: Transaction, realm: Realm, newcomer: User): Promise<void> {
  const channel = await findChannel(tx.db, realm.id, realm.settings.signup_announcements_stream_id)
  if (channel?.archivedAt !== null) return
  const content = `${silentMention(newcomer)} joined this organization.`
  await saveMessage(tx, await prepareThreadNotice(tx.db, realm, { channel, topic: 'signups', content }))
}
