import { prepareNotice, silentMention } from '../../messages/sending/notices.ts'
import { saveMessages } from '../../messages/sending/send-message.ts'
import type { User } from '../../people/users/user.ts'
import type { Transaction } from '../../platform/storage/storage.ts'

/** A direct message to the newcomer, and one to the inviter who wants to be told; null: nobody does. */
export async function sendWelcomeMessages(tx: Transaction, newcomer: User, inviter: User | null): Promise<void> {
  const notices = [
    await prepareNotice(tx.db, { recipientIds: [newcomer.id], content: welcome(newcomer), bot: 'welcome-bot' }),
  ]
  if (inviter !== null) {
    const content = `${silentMention(newcomer)} accepted your invitation to join Parley!`
    notices.push(await prepareNotice(tx.db, { recipientIds: [inviter.id], content }))
  }
  await saveMessages(
    tx,
    notices.map((notice) => ({ ...notice, isUnmailed: true })),
  )
}

const welcome = (newcomer: User) => `Welcome, ${silentMention(newcomer)}!

* What is said stands in **channels**, and there under **topics**, so that you can read what concerns you, one subject at
a time.
* To say something, choose a channel and a topic; to begin a conversation, name a topic of your own.
* A message to one person or a few, like this one, is a **direct message**: nobody else sees it.`
