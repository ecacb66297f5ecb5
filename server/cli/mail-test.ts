import { readSettings, type Settings } from '#config.ts'
import { type Clock, systemClock } from '#lib/runtime/clock.ts'
import { type Random, systemRandom } from '#lib/security/random.ts'
import { toBase32 } from '#lib/security/secrets.ts'
import { t } from '#lib/text/t.ts'
import { renderLayout } from '#mail/email-layout.ts'
import { type EmailMessage, isBareAddress } from '#mail/email-message.ts'
import { CliError } from './cli-context.ts'

/** Sends an email through the relay at once, bypassing the outbox, and prints the SMTP dialogue. */
export async function testMail(recipient: string): Promise<void> {
  const settings = readSettings()
  if (settings.SMTP_URL === '')
    throw new CliError(
      'There is no relay: set SMTP_URL to send email. Until then, emails are kept, and `parley mail show` prints them.',
    )
  if (!isBareAddress(recipient)) throw new CliError(`${recipient} is not a valid email address.`)

  const { isRelayUrl, RELAY_URL_FORM, smtpTransport } = await import('#mail/smtp.ts')
  if (!isRelayUrl(settings.SMTP_URL)) throw new CliError(RELAY_URL_FORM)
  const transport = smtpTransport(settings.SMTP_URL)
  const message = testMessage(recipient, settings, systemClock(), systemRandom)
  const { outcome, reply, advice = '' } = await transport.send(message, (line) => process.stdout.write(`${line}\n`))
  transport.close()
  if (outcome !== 'sent') throw new CliError(`The email was not sent: ${reply}\n${advice}`)
  process.stdout.write(`The relay has accepted the email: ${reply}\nIf it does not arrive, check the spam folder.\n`)
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
  }
}
