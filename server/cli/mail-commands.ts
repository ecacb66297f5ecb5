import { renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, Option } from 'commander'
import { readSettings, type Settings } from '#config.ts'
import { type Clock, systemClock } from '#lib/clock.ts'
import { type Log, openLog } from '#lib/log.ts'
import { commandLine } from '#lib/process.ts'
import { type Random, systemRandom, toBase32 } from '#lib/secrets.ts'
import { t } from '#lib/text.ts'
import { type Attempt, type DeliveryState, deliveryState, deliveryStates, type Mail, retryMail } from '#mail/outbox.ts'
import { findAttempts, findMail, findMails } from '#mail/queries.ts'
import { type EmailMessage, emailHeaders, isBareAddress, renderEmail, renderLayout } from '#mail/render-email.ts'
import { openFiles } from '#storage/open-files.ts'
import { emailRenderer } from '#workflows/email-catalogue.ts'
import { CliError, openCliContext, requireDatabase, UsageError } from './cli-context.ts'
import { jsonOption, print, toIsoTime } from './output.ts'

/** Sends an email through the relay at once, bypassing the outbox, and prints the SMTP dialogue. */
async function testMail(recipient: string): Promise<void> {
  const settings = readSettings()
  if (settings.SMTP_URL === '')
    throw new CliError(
      `There is no relay: set SMTP_URL to send email. Until then, emails are kept, and \`${commandLine('mail show')}\` prints them.`,
    )
  if (!isBareAddress(recipient)) throw new UsageError(`${recipient} is not a valid email address.`)

  const {
    outcome,
    reply,
    advice = '',
  } = await sendTestMail(recipient, settings, (line) => process.stdout.write(`${line}\n`))
  if (outcome !== 'sent') throw new CliError(`The email was not sent: ${reply}\n${advice}`)
  process.stdout.write(`The relay has accepted the email: ${reply}\nIf it does not arrive, check the spam folder.\n`)
}

/** Sends a test email through the relay at once, and passes each line of the SMTP dialogue to `listen`. */
export async function sendTestMail(recipient: string, settings: Settings, listen: (line: string) => void = () => {}) {
  const { smtpTransport } = await import('#mail/smtp.ts')
  const transport = smtpTransport(settings.SMTP_URL)
  try {
    return await transport.send(testMessage(recipient, settings, systemClock(), systemRandom), listen)
  } finally {
    transport.close()
  }
}

function testMessage(
  recipient: string,
  { MAIL_FROM, EXTERNAL_URL }: Settings,
  clock: Clock,
  random: Random,
): EmailMessage {
  const [, host = 'localhost'] = MAIL_FROM.split('@')
  const page = renderLayout({
    heading: t('Email works'),
    blocks: [t('The Parley server at {url} can send email to this address.', { url: EXTERNAL_URL })],
    footer: t('You received this email because an administrator of the server is testing it.'),
  })
  return {
    envelope: { from: MAIL_FROM, to: recipient },
    from: { name: 'Parley', address: MAIL_FROM },
    to: recipient,
    subject: t('Test email from Parley'),
    ...page,
    messageId: `${toBase32(random.bytes(20))}@${host}`,
    date: clock.now(),
    list: null,
    unsubscribe: null,
    replyTo: null,
  }
}

export function addMailCommands(program: Command): void {
  const mail = program.command('mail').description('manage outgoing email, and receive email')

  mail
    .command('list')
    .description('list emails, newest first')
    .addOption(new Option('--state <state>', 'only emails in this state').choices(deliveryStates))
    .option('--to <address>', 'only emails to this address')
    .option('--before <id>', 'only emails older than this one, to see the next page', requireId)
    .addOption(jsonOption())
    .action(listMails)

  mail
    .command('show <id>')
    .description('show an email as it is sent, and all delivery attempts')
    .addOption(jsonOption())
    .action(showMail)

  mail
    .command('retry <id>')
    .description('make the running server send an email immediately')
    .addOption(jsonOption())
    .action(async (text: string, { json }: { json: boolean }) => {
      await using context = await openCliContext()
      const id = requireId(text)
      if (!(await context.storage.transaction((tx) => retryMail(tx, id))))
        throw new CliError(`Email ${id} cannot be sent: it was already sent, or is no longer valid.`)
      print({ id, state: 'queued' }, json)
    })

  mail
    .command('test <address>')
    .description('send an email through the relay immediately, and print the SMTP dialogue')
    .action(testMail)

  mail
    .command('receive <address>')
    .description('post an email from standard input as a message, for the pipe of a mail server')
    .option('--sender <address>', 'the envelope sender, empty for bounces; the default is that of the headers')
    .action(async (address: string, { sender }: { sender?: string }) => {
      const { code, message } = await receiveFromPipe(address, sender ?? null)
      if (message !== null) process.stderr.write(`${message}\n`)
      process.exitCode = code
    })
}

/** The exit codes by which mail servers know whether to keep an email, to return it, or to forget it (sysexits.h). */
const Exit = { ok: 0, dataError: 65, noUser: 67, temporaryFailure: 75, noPermission: 77, configuration: 78 } as const

/** The maximum size of a log in bytes. Then it becomes the old one, which it replaces. */
const MAX_LOG_BYTES = 1024 * 1024

/**
 * Opens the log of `parley mail receive` in DATA_DIR. A mail server returns the output of the command to the sender of
 * the email, so the output has nothing that only operators may read.
 */
function openReceivingLog({ DATA_DIR, LOG_LEVEL }: Settings): Log {
  const file = join(DATA_DIR, 'mail-receive.log')
  try {
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES) renameSync(file, `${file}.old`)
    return openLog(LOG_LEVEL, file)
  } catch {
    return openLog('silent')
  }
}

/** Returns the exit code, and the text for the sender of the email. */
async function receiveFromPipe(
  recipient: string,
  sender: string | null,
): Promise<{ code: number; message: string | null }> {
  const { MAX_MAIL_BYTES, MailRefusal, receiveMail } = await import('#mail-in/receive-mail.ts')
  let log: Log | null = null
  try {
    const settings = readSettings()
    log = openReceivingLog(settings)
    if (settings.MAIL_IN_DOMAIN === '')
      return { code: Exit.configuration, message: 'The server does not receive email: set MAIL_IN_DOMAIN.' }
    // An empty database would return all emails to their senders.
    requireDatabase(settings)
    await using context = await openCliContext()
    const { storage } = context
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
      size += chunk.length
      // The rest is read, but not kept: a mail server takes a closed pipe for a temporary failure.
      if (size <= MAX_MAIL_BYTES) chunks.push(chunk)
    }
    if (size > MAX_MAIL_BYTES) return { code: Exit.dataError, message: 'The email is too large.' }
    await receiveMail(
      {
        ...context,
        db: storage.db,
        transaction: storage.transaction,
        log,
        files: await openFiles(settings, log),
      },
      { recipient, sender, raw: Buffer.concat(chunks) },
    )
    return { code: Exit.ok, message: null }
  } catch (error) {
    if (error instanceof MailRefusal) return { code: exitCodeOf(error.code, error.status), message: error.message }
    log?.error({ err: error }, 'Incoming email was not stored')
    return { code: Exit.temporaryFailure, message: 'Temporary failure.' }
  }
}

function exitCodeOf(code: number, status: string): number {
  if (code < 500) return Exit.temporaryFailure
  if (status === '5.1.1') return Exit.noUser
  return status === '5.7.1' ? Exit.noPermission : Exit.dataError
}

function requireId(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new CliError(`${text} is not the ID of an email.`)
  return Number(text)
}

type ListOptions = { state?: DeliveryState; to?: string; before?: number; json: boolean }

async function listMails({ state, to, before, json }: ListOptions): Promise<void> {
  await using context = await openCliContext()
  const mails = await findMails(context.storage.db, {
    ...(state && { state }),
    ...(to !== undefined && { recipient: to }),
    ...(before !== undefined && { beforeId: before }),
  })
  print(mails.map(toRow), json)
}

const toRow = (mail: Mail) => ({
  id: mail.id,
  to: mail.recipient,
  template: mail.letter,
  state: deliveryState(mail),
  queued: toIsoTime(mail.createdAt),
  due: mail.dueAt === null ? '' : toIsoTime(mail.dueAt),
  attempts: mail.attempts,
  reply: mail.reply ?? '',
})

async function showMail(text: string, { json }: { json: boolean }): Promise<void> {
  await using context = await openCliContext()
  const { db } = context.storage
  const mail = await findMail(db, requireId(text))
  if (mail === null) throw new CliError(`There is no email with the ID ${text}.`)
  const attempts = await findAttempts(db, mail.id)
  const written = await renderEmail(
    db,
    mail,
    emailRenderer(context.secret, context.settings, context.clock),
    context.clock.now(),
  )
  const message = written && { ...written, date: attempts.at(-1)?.startedAt ?? written.date }

  if (json) process.stdout.write(`${JSON.stringify(toJson(mail, attempts, message))}\n`)
  else process.stdout.write(`${message === null ? NO_LONGER_HOLDS : toText(message)}\n${toLedger(mail, attempts)}`)
}

const NO_LONGER_HOLDS = 'This email is no longer valid: its link was used or revoked, or has expired.\n'

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

/** Returns the state of the email and the SMTP dialogue of each attempt. */
function toLedger(mail: Mail, attempts: readonly Attempt[]): string {
  const next = mail.dueAt === null ? '' : `, due ${toIsoTime(mail.dueAt)}`
  const tries = attempts.flatMap(({ startedAt, outcome, reply, dialogue }) => [
    `${toIsoTime(startedAt)} ${outcome ?? 'in progress, or interrupted'}${reply === null ? '' : `: ${reply}`}`,
    ...(dialogue === null ? [] : dialogue.split('\n').map((line) => `  ${line}`)),
  ])
  return `${[`This email: ${deliveryState(mail)}${next}`, ...tries].join('\n')}\n`
}
