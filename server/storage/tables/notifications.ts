import type { Generated } from 'kysely'
import type { Json } from './columns.ts'

export type MailTables = {
  mails: {
    id: Generated<number>
    realmId: number | null
    recipient: string
    /** The recipient in lower case. */
    recipientKey: string
    /** The template and its data. The email is rendered when it is sent or displayed, so that no link is stored. */
    letter: string
    data: Json
    invitationId: number | null
    /** The part before the @ of the Message-ID header. It is the same at each attempt. */
    messageId: string
    createdAt: number
    /** `queued`, `sent`, `failed`, `cancelled` or `kept` (there is no relay; it can be read in the outbox). */
    state: string
    /** The time of the next attempt; null if the email is not queued. */
    dueAt: number | null
    attempts: number
    /** The last reply of the relay, or the connection error. */
    reply: string | null
    endedAt: number | null
  }
  mailAttempts: {
    id: Generated<number>
    mailId: number
    startedAt: number
    /** Null while the attempt is in progress, and permanently if the process ended during it. */
    endedAt: number | null
    /** `sent`, `deferred`, `refused`, `kept` or `cancelled`. */
    outcome: string | null
    reply: string | null
    /** The SMTP dialogue with the relay, one line each, without the email and without credentials. */
    dialogue: string | null
  }
  /** People without an account who have unsubscribed from an organization's emails. */
  mailRefusals: { realmId: number; recipientKey: string; refusedAt: number }
}

export type MailInTables = {
  /** The email addresses of channels. The token of an address is derived from the nonce and the server's secret. */
  channelAddresses: {
    channelId: number
    /** The user who asked for the address. Emails are accepted while this user could send them as messages. */
    creatorId: number
    /** The sender of the messages: the creator, a bot of theirs, or the Email Gateway bot. */
    senderId: number
    nonce: string
    tokenHash: string
    createdAt: number
    /** The start of the hour in which emails are counted, and their number. */
    hourFrom: Generated<number>
    mailsInHour: Generated<number>
  }

  /** The addresses for replies to emails about missed messages. The reply goes to the conversation of the message. */
  replyAddresses: {
    tokenHash: string
    userId: number
    messageId: number
    expiresAt: number
    uses: Generated<number>
  }
}

export type PushTokenTables = {
  /** Devices with a mobile app that registered for push notifications. */
  pushTokens: {
    userId: number
    /** `apns` or `fcm`. */
    service: string
    token: string
    /** The id of the app; null for `fcm`. */
    appId: string | null
    addedAt: number
  }
}

export type MobilePushTables = {
  /** Notifications for the devices of a user. A sent one is kept until the message was read, or for a day. */
  mobilePushes: {
    userId: number
    /** The message may be deleted already. */
    messageId: number
    attempts: number
    /** The time of the next attempt to send it. */
    dueAt: number
    sentAt: number | null
  }
}

export type PushNoticeTables = {
  /** Browsers that show push notifications, by the session in which they were enabled. */
  pushSubscriptions: {
    sessionId: number
    userId: number
    /** The push service's URL for the browser. Anyone who knows the URL can send to it. */
    endpoint: string
    /** The browser's public key and its shared secret, in base64url. Notifications are encrypted with them. */
    p256dh: string
    auth: string
    addedAt: number
  }

  /** Pending notifications; the row is deleted when the notification was sent or became obsolete. */
  pushNotices: {
    sessionId: number
    messageId: number
    attempts: number
    /** The earliest time of the next attempt. */
    dueAt: number
  }
}

export type WebhookCallTables = {
  /** Messages that an outgoing-webhook bot still has to deliver. The row is deleted when the outcome is known. */
  webhookCalls: {
    botId: number
    messageId: number
    /** The reason for the call: a mention, a direct message or a command. The receiver gets it with the message. */
    trigger: string
    /** Includes attempts in progress. */
    attempts: number
    /**
     * The earliest time of the next attempt. The attempt also waits for the deliveries of the bot's earlier messages.
     */
    dueAt: number
  }

  /** The log of these calls: at most one without `endedAt` for each row of `webhookCalls`, and those of the last days. */
  outgoingDeliveries: {
    id: Generated<number>
    botId: number
    messageId: number
    trigger: string
    startedAt: number
    endedAt: number | null
    /** `waiting` at first; then `answered`, `accepted`, `failed` or `left_out`. */
    outcome: string
    attempts: number
    /** The HTTP status of the last response. */
    status: number | null
    /** The error of the last attempt, for the owner of the bot; '' if there is none. */
    error: string
  }
}

export type DigestTables = {
  /** The time at which the server last prepared a digest for a user, even if there was nothing to send. */
  digests: { userId: number; preparedAt: number }
}
