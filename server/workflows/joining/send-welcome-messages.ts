import { prepareNotice, silentMention } from '#messages/sending/prepare-notices.ts'
import { saveMessages } from '#messages/sending/send-message.ts'
import type { User } from '#people/users/user.ts'
import type { Transaction } from '#storage/storage.ts'

/** Sends a direct message to the new user and, if `inviter` is not null, another one to the inviter. */
export async function sendWelcomeMessages(tx: Transaction, newUser: User, inviter: User | null): Promise<void> {
  const notices = [
    await prepareNotice(tx.db, { recipientIds: [newUser.id], content: welcome(newUser), bot: 'welcome-bot' }),
  ]
  if (inviter !== null) {
    const content = `${silentMention(newUser)} accepted your invitation to join Parley!`
    notices.push(await prepareNotice(tx.db, { recipientIds: [inviter.id], content }))
  }
  await saveMessages(
    tx,
    notices.map((notice) => ({ ...notice, skipsMissedMail: true })),
  )
}

const welcome = (newUser: User) => `Welcome, ${silentMention(newUser)}!

* Messages are organized in **channels** and, within them, in **topics**, so that you can read what matters to you, one
subject at a time.
* To send a message, choose a channel and a topic; to start a conversation, enter a new topic.
* A message to one person or a few, like this one, is a **direct message**: other users can't see it.`
