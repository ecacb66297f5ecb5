import { createTransport, type SendMailOptions } from 'nodemailer'
import { type ListenerOptions, openMailListener } from '#mail-in/listener.ts'
import type { Chat, Person } from '../harness.ts'

export const MAIL_IN_SETTINGS = { MAIL_IN_DOMAIN: 'in.parley.test', MAIL_IN_LISTEN_HOST: '127.0.0.1' }

/** The reply of the server to an email: its code, and its text. */
export type MailReply = { code: number; text: string }

export type IncomingMail = AsyncDisposable & {
  readonly port: number
  /** Sends an email by SMTP. `to` is also the envelope recipient. */
  send(mail: SendMailOptions & { to: string }): Promise<MailReply>
}

/** Opens the SMTP server of the chat, which needs `MAIL_IN_SETTINGS`, on a free port. */
export async function openIncomingMail(chat: Chat, options: ListenerOptions = {}): Promise<IncomingMail> {
  const listener = openMailListener(chat.app.services, options)
  const { port } = await listener.listen(0)
  return {
    port,
    send: (mail) => sendMail(port, mail),
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  }
}

/** Sends an email to a port of this machine; returns the last reply. */
export async function sendMail(port: number, mail: SendMailOptions & { to: string }): Promise<MailReply> {
  const transport = createTransport({ host: '127.0.0.1', port, secure: false, ignoreTLS: true })
  const from = 'Grace Hopper <grace@example.org>'
  const envelope = mail.envelope ?? { from: 'grace@example.org', to: [mail.to] }
  try {
    const { response } = await transport.sendMail({ from, subject: 'Tea', text: 'Is it ready?', ...mail, envelope })
    return toReply(response)
  } catch (error) {
    const { response } = error as { response?: string }
    if (response === undefined) throw error
    return toReply(response)
  } finally {
    transport.close()
  }
}

const toReply = (response: string): MailReply => ({ code: Number(response.slice(0, 3)), text: response.slice(4) })

/** Returns the messages of a channel as a person reads them, oldest first, without notices of the server. */
export async function messagesIn(
  person: Person,
  channel: string,
): Promise<
  { id: number; subject: string; content: string; sender_full_name: string; sender_id: number; flags: string[] }[]
> {
  const { messages } = await person.succeed('GET /messages', {
    narrow: [{ operator: 'channel', operand: channel }],
    anchor: 'newest',
    num_before: 100,
    num_after: 0,
    apply_markdown: false,
    allow_empty_topic_name: true,
  })
  return messages.filter(({ sender_full_name: name }: { sender_full_name: string }) => name !== 'Notification Bot')
}
