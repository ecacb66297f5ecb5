import type { Command } from 'commander'
import { registerWithPushService } from '#notifications/push.ts'
import { isEmailAddress } from '#people/email-addresses.ts'
import { CliError, openCliContext, UsageError } from './cli-context.ts'
import { jsonOption, print } from './output.ts'

type Options = { contactEmail: string; json: boolean }

export function addPushCommands(program: Command): void {
  program
    .command('push')
    .description('manage notifications of the mobile apps')
    .command('register')
    .description('register the server and its organizations with the push service of PUSH_SERVICE_URL')
    .requiredOption('--contact-email <address>', 'address at which the push service reaches the operator')
    .addOption(jsonOption())
    .action(register)
}

async function register({ contactEmail, json }: Options): Promise<void> {
  if (!isEmailAddress(contactEmail)) throw new UsageError(`${contactEmail} is not an email address.`)
  await using context = await openCliContext()
  const { settings, storage } = context
  if (settings.PUSH_SERVICE_URL === '') throw new CliError('There is no push service: set PUSH_SERVICE_URL.')
  const problem = await registerWithPushService({ settings, secret: storage.db.secret() }, storage.db, contactEmail)
  if (problem !== null) throw new CliError(`The push service did not register the server: ${problem}`)
  print({ service: settings.PUSH_SERVICE_URL, hostname: new URL(settings.EXTERNAL_URL).host, registered: true }, json)
}
