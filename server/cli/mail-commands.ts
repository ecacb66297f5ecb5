import { type Command, Option } from 'commander'
import { invitationLetters } from '../invitations/letters.ts'
import type { MailState } from '../mail/mail.ts'
import { headersOf, writeMessage } from '../mail/message.ts'
import { retryMail } from '../mail/outbox.ts'
import { findMail, findMails } from '../mail/queries.ts'
import { CommandFailure, openDesk } from './desk.ts'
import { print, toIsoTime } from './output.ts'

const states: MailState[] = ['queued', 'sent', 'failed', 'cancelled', 'kept']

const jsonOption = () => new Option('--json', 'print JSON').default(false)

export function addMailCommands(program: Command): void {
  const mail = program.command('mail').description('what the server sent, or is to send')

  mail
    .command('list')
    .description('mails, the newest first')
    .addOption(new Option('--state <state>', 'only these').choices(states))
    .addOption(jsonOption())
    .action(listMails)

  mail.command('show <id>').description('a mail as it is sent').addOption(jsonOption()).action(showMail)

  mail
    .command('retry <id>')
    .description('have the running server send a mail at once')
    .addOption(jsonOption())
    .action(async (text: string, { json }: { json: boolean }) => {
      await using desk = await openDesk()
      const id = requireId(text)
      if (!(await desk.storage.transaction((tx) => retryMail(tx, id))))
        throw new CommandFailure(`There is no mail ${id} that could be sent: it was sent, or it no longer holds.`)
      print({ id, state: 'queued' }, json)
    })
}

function requireId(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new CommandFailure(`${text} is not the number of a mail.`)
  return Number(text)
}

async function listMails({ state, json }: { state?: MailState; json: boolean }): Promise<void> {
  await using desk = await openDesk()
  const mails = await findMails(desk.storage.db, state === undefined ? {} : { state })
  const rows = mails.map((mail) => ({
    id: mail.id,
    to: mail.recipient,
    letter: mail.letter,
    state: mail.state,
    queued: toIsoTime(mail.createdAt),
    due: mail.dueAt === null ? '' : toIsoTime(mail.dueAt),
    attempts: mail.attempts,
    reply: mail.reply ?? '',
  }))
  print(rows, json)
}

async function showMail(text: string, { json }: { json: boolean }): Promise<void> {
  await using desk = await openDesk()
  const mail = await findMail(desk.storage.db, requireId(text))
  if (mail === null) throw new CommandFailure(`There is no mail ${text}.`)
  const stationery = {
    writers: invitationLetters(desk.secret),
    sender: { productName: 'Parley', noReplyAddress: desk.settings.MAIL_FROM, tokenizedNoReply: true },
  }
  const message = await writeMessage(desk.storage.db, mail, stationery, desk.clock.now())
  if (message === null)
    throw new CommandFailure('What this mail says no longer holds: its link is used, withdrawn or expired.')
  const headers = headersOf(message)
  if (json) {
    const { subject, text, html } = message
    process.stdout.write(`${JSON.stringify({ id: mail.id, to: message.to, subject, text, html, headers })}\n`)
    return
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  process.stdout.write(`${lines.join('\n')}\n\n${message.text}`)
}
