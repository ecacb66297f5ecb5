import { type Command, Option } from 'commander'
import { type EmailMessage, emailHeaders, renderEmail } from '../delivery/mail/email-message.ts'
import { emailRenderer } from '../delivery/mail/endpoints/email-renderer.ts'
import { type Attempt, type DeliveryState, deliveryState, deliveryStates, type Mail } from '../delivery/mail/mail.ts'
import { retryMail } from '../delivery/mail/outbox.ts'
import { findAttempts, findMail, findMails } from '../delivery/mail/queries.ts'
import { CliError, openCliContext } from './cli-context.ts'
import { testMail } from './mail-test.ts'
import { print, toIsoTime } from './output.ts'

const jsonOption = () => new Option('--json', 'print JSON').default(false)

export function addMailCommands(program: Command): void {
  const mail = program.command('mail').description('what the server sent, or is to send')

  mail
    .command('list')
    .description('mails, the newest first')
    .addOption(new Option('--state <state>', 'only these').choices(deliveryStates))
    .option('--to <address>', 'only those to the address')
    .option('--before <id>', 'only older ones than this: the next page', requireId)
    .addOption(jsonOption())
    .action(listMails)

  mail
    .command('show <id>')
    .description('a mail as it is sent, and every attempt to send it')
    .addOption(jsonOption())
    .action(showMail)

  mail
    .command('retry <id>')
    .description('have the running server send a mail at once')
    .addOption(jsonOption())
    .action(async (text: string, { json }: { json: boolean }) => {
      await using desk = await openCliContext()
      const id = requireId(text)
      if (!(await desk.storage.transaction((tx) => retryMail(tx, id))))
        throw new CliError(`There is no mail ${id} that could be sent: it was sent, or it no longer holds.`)
      print({ id, state: 'queued' }, json)
    })

  mail
    .command('test <address>')
    .description('send a mail through the relay at once, and print what passes between us and it')
    .action(testMail)
}

function requireId(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new CliError(`${text} is not the number of a mail.`)
  return Number(text)
}

type ListOptions = { state?: DeliveryState; to?: string; before?: number; json: boolean }

async function listMails({ state, to, before, json }: ListOptions): Promise<void> {
  await using desk = await openCliContext()
  const mails = await findMails(desk.storage.db, {
    ...(state && { state }),
    ...(to !== undefined && { recipient: to }),
    ...(before !== undefined && { beforeId: before }),
  })
  print(mails.map(toRow), json)
}

const toRow = (mail: Mail) => ({
  id: mail.id,
  to: mail.recipient,
  letter: mail.letter,
  state: deliveryState(mail),
  queued: toIsoTime(mail.createdAt),
  due: mail.dueAt === null ? '' : toIsoTime(mail.dueAt),
  attempts: mail.attempts,
  reply: mail.reply ?? '',
})

async function showMail(text: string, { json }: { json: boolean }): Promise<void> {
  await using desk = await openCliContext()
  const { db } = desk.storage
  const mail = await findMail(db, requireId(text))
  if (mail === null) throw new CliError(`There is no mail ${text}.`)
  const attempts = await findAttempts(db, mail.id)
  const written = await renderEmail(db, mail, emailRenderer(desk.secret, desk.settings), desk.clock.now())
  const message = written && { ...written, date: attempts.at(-1)?.startedAt ?? written.date }

  if (json) process.stdout.write(`${JSON.stringify(toJson(mail, attempts, message))}\n`)
  else process.stdout.write(`${message === null ? NO_LONGER_HOLDS : toText(message)}\n${toLedger(mail, attempts)}`)
}

const NO_LONGER_HOLDS = 'What this mail says no longer holds: its link is used, withdrawn or expired.\n'

function toJson(mail: Mail, attempts: readonly Attempt[], message: EmailMessage | null) {
  const shown = message && {
    ...{ subject: message.subject, text: message.text, html: message.html, headers: emailHeaders(message) },
  }
  return { ...toRow(mail), ...shown, tries: attempts }
}

function toText(message: EmailMessage): string {
  const headers = Object.entries(emailHeaders(message)).map(([name, value]) => `${name}: ${value}`)
  return `${headers.join('\n')}\n\n${message.text}`
}

/** How far the mail came, and under each attempt what passed between us and the relay. */
function toLedger(mail: Mail, attempts: readonly Attempt[]): string {
  const next = mail.dueAt === null ? '' : `, due ${toIsoTime(mail.dueAt)}`
  const tries = attempts.flatMap(({ startedAt, outcome, reply, dialogue }) => [
    `${toIsoTime(startedAt)} ${outcome ?? 'under way, or broken off'}${reply === null ? '' : `: ${reply}`}`,
    ...(dialogue === null ? [] : dialogue.split('\n').map((line) => `  ${line}`)),
  ])
  return `${[`This mail: ${deliveryState(mail)}${next}`, ...tries].join('\n')}\n`
}
